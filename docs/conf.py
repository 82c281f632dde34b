"""How Sphinx makes the site; `python -m tools.site` lays out the sources and calls it."""

from clearbar import __version__

project = "clearbar"
author = "clearbar developers"
copyright = author  # noqa: A001 - Sphinx's name
version = release = __version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
root_doc = "index"
exclude_patterns = ["extra"]
suppress_warnings = ["misc.highlighting_failure"]  # outputs and other languages' snippets

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

smartquotes_action = "qe"  # quotes and dots, but options keep their two hyphens

myst_html_meta = {
    "description": "The bar of any measure: what the best classifier that never looks at a feature scores on "
    "your labels, and whether your model clears it.",
    "property=og:title": "clearbar: is F1 = 0.72 good?",
    "property=og:description": "The bar of any measure, and whether your model clears it.",
    "property=og:image": "_static/social_card.png",
    "name=twitter:card": "summary_large_image",
}

default_role = "py:obj"
autodoc_default_options = {
    "member-order": "groupwise",
    # scikit-learn's own, whose documentation refers to pages of its site
    "exclude-members": "set_fit_request, set_score_request",
}
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False  # autodoc shows them in full
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "clearbar"
html_static_path = ["_static"]
html_favicon = "_static/mark.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_copyright = False
html_copy_source = False
html_sidebars = {"index": [], "tutorial": []}
html_theme_options = {
    "logo": {"text": "clearbar", "image_light": "_static/mark.svg", "image_dark": "_static/mark.svg"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
