"""Items of reporting guidelines, and which of them predictions alone answer."""

from __future__ import annotations

from typing import NamedTuple


class Guideline(NamedTuple):
    """A guideline: its source, its items in order with their topics, and what answers some of them."""

    source: str
    items: dict[str, str]
    answers: dict[str, str]  # item: "data", "methods", "results" or "clusters"


def _items(text: str) -> dict[str, str]:
    """Read ``3a 3b Background; 4 Objectives``."""
    items: dict[str, str] = {}
    for part in text.split(";"):
        words = part.split()
        numbers = [word for word in words if word[:1].isdigit()]
        items |= dict.fromkeys(numbers, " ".join(words[len(numbers) :]))
    return items


GUIDELINES = {
    "plain": Guideline("", {}, {}),
    "tripod+ai": Guideline(
        "TRIPOD+AI: Collins et al., BMJ 385, e078378, 2024",
        _items(
            "1 Title; 2 Abstract; 3a 3b 3c Background; 4 Objectives; 5a 5b Data; 6a 6b 6c Participants; "
            "7 Data preparation; 8a 8b 8c Outcome; 9a 9b 9c Predictors; 10 Sample size; 11 Missing "
            "data; 12a Use of data; 12b Handling of predictors; 12c Type of model, building and "
            "internal validation; 12d Heterogeneity across clusters; 12e Measures of performance; 12f "
            "Model updating; 12g Calculation of predictions; 13 Class imbalance; 14 Fairness; 15 Model "
            "output; 16 Training versus evaluation; 17 Ethical approval; 18a Funding; 18b Conflicts of "
            "interest; 18c Protocol; 18d Registration; 18e Data sharing; 18f Code sharing; 19 Patient "
            "and public involvement; 20a Flow of participants; 20b Characteristics of participants; 20c "
            "Comparison with development data; 21 Participants and outcome events in each analysis; 22 "
            "Model specification; 23a Model performance with confidence intervals; 23b Heterogeneity of "
            "performance across clusters; 24 Results of model updating; 25 Interpretation; 26 "
            "Limitations; 27a 27b 27c Usability of the model"
        ),
        {"12d": "clusters", "12e": "methods", "21": "data", "23a": "results"},
    ),
    "claim": Guideline(
        "CLAIM 2024 update: Tejani et al., Radiology: Artificial Intelligence 6(4), e240300, 2024",
        _items(
            "1 Title; 2 Summary; 3 Background; 4 Aims and hypotheses; 5 Prospective or retrospective "
            "study; 6 Study goal; 7 Data sources; 8 Inclusion and exclusion criteria; 9 Data "
            "preprocessing; 10 Selection of data subsets; 11 De-identification; 12 Missing data; 13 "
            "Image acquisition; 14 15 16 Reference standard; 17 Annotation of test set; 18 Inter- and "
            "intrarater variability; 19 20 Data partitions; 21 Intended sample size; 22 Description of "
            "model; 23 Software; 24 Initialization; 25 Training; 26 Selection of the final model; 27 "
            "Ensembling; 28 Metrics of model performance; 29 Statistical measures of significance and "
            "uncertainty; 30 Robustness or sensitivity analysis; 31 Explainability; 32 Evaluation on "
            "internal data; 33 Testing on external data; 34 Clinical trial registration; 35 Numbers "
            "included and excluded; 36 Demographic and clinical characteristics; 37 Performance metrics "
            "and statistical uncertainty; 38 Estimates of diagnostic performance and their precision; "
            "39 Failure analysis; 40 Limitations; 41 Implications for practice; 42 Study protocol; 43 "
            "Availability of software, model and data; 44 Funding"
        ),
        {"28": "bars", "29": "methods", "37": "results", "38": "results"},
    ),
    "neurips": Guideline(
        "NeurIPS Paper Checklist, https://neurips.cc/public/guides/PaperChecklist",
        _items(
            "1 Claims; 2 Limitations; 3 Theory assumptions and proofs; 4 Experimental result "
            "reproducibility; 5 Open access to data and code; 6 Experimental setting and details; 7 "
            "Experiment statistical significance; 8 Experiments compute resources; 9 Code of ethics; 10 "
            "Broader impacts; 11 Safeguards; 12 Licenses for existing assets; 13 New assets; 14 "
            "Crowdsourcing and research with human subjects; 15 Institutional review board approvals; "
            "16 Declaration of LLM usage"
        ),
        {"7": "methods"},
    ),
}
