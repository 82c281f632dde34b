"""Build the site: `make docs`.

    python -m tools.site [--output FOLDER]

Lays the sources out in build/site/source (the pages of docs, and those generated from the package), lets
Sphinx make pages of them with warnings as errors, and follows every link.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from tools import atlas, task_atlas
from tools.calculator.page import page as calculator
from tools.calculator.page import piece
from tools.site import command_line, measures, pages, reference
from tools.site.links import broken
from tools.site.samples import report

BUILD = pages.ROOT / "build" / "site"


def texts() -> dict[str, str]:
    """Return every page of the site by its place."""
    made = pages.sources() | reference.pages()
    animation = Path(__file__).with_name("animation.html").read_text(encoding="utf-8")
    home = made["index.md"].replace(pages.ANIMATION, measures.raw(animation))
    made["index.md"] = home.replace(pages.CALCULATOR, measures.raw(piece()))
    sets, tasks = (pages.ATLAS, atlas.tables()), (pages.TASKS, task_atlas.tables())
    made["atlas.md"] = made["atlas.md"].replace(*sets).replace(*tasks)
    made["reference/command_line.md"] = command_line.page()
    kinds = measures.kinds()
    made["measures/index.md"] = measures.front(kinds)
    for kind in kinds:
        made[f"measures/{kind}/index.md"] = measures.index(kind)
        made |= {f"measures/{measures.slug(one)}.md": measures.page(one) for one in measures.of(kind)}
    return made


def lay_out(folder: Path) -> None:
    """Write all sources."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(pages.DOCS / "images", folder / "images")
    for picture in pages.DOCS.glob("*.png"):
        shutil.copy(picture, folder)
    for name, text in texts().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    report(folder / "extra")
    (folder / "extra" / "calculator.html").write_text(calculator(), encoding="utf-8")


def main() -> None:
    """Build the site and say where it is."""
    parser = argparse.ArgumentParser(description="Build the site.")
    parser.add_argument("--output", type=Path, default=BUILD / "html", help="folder for the pages")
    output = parser.parse_args().output
    from sphinx.cmd.build import build_main

    source = BUILD / "source"
    lay_out(source)
    shutil.rmtree(output, ignore_errors=True)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-j", "auto", "-c", str(pages.DOCS)]
    options += ["-D", f"html_extra_path={source / 'extra'}"]
    failed = build_main([*options, "-d", str(BUILD / "doctrees"), str(source), str(output)])
    wrong = broken(output)
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    if failed or wrong:
        sys.exit(1)
    print(f"{sum(1 for _ in output.rglob('*.html'))} pages: {output / 'index.html'}")


if __name__ == "__main__":
    main()
