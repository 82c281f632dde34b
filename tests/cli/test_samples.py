"""``clearbar samples``: how many samples are needed."""

import json

import clearbar as cb

WORDS = ("samples", "--prevalence", "0.5", "--sensitivity", "0.95", "--specificity", "0.95")


def test_it_says_what_the_library_does(run):
    found = cb.samples_needed("mcc", prevalence=0.5, sensitivity=0.95, specificity=0.95)
    code, out, err = run(*WORDS, "--measure", "mcc")
    assert (code, err) == (0, "")
    assert f"MCC: {found} samples, {(found + 1) // 2} of them positive (power 0." in out
    (row,) = json.loads(run(*WORDS, "--measure", "mcc", "--json")[1])["samples"]
    assert (row["samples"], row["standard_error"], row["power"] >= 0.8) == (found, 0.0, True)


def test_what_makes_no_sense_is_said(refused):
    assert "is not above the MCC bar" in refused(*WORDS[:-1], "0.05", "--measure", "mcc")
    assert "--power must be a share from 0 to 1" in refused(*WORDS, "--measure", "mcc", "--power", "2")
    assert "--measure" in refused(*WORDS)
