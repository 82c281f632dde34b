"""The reviewer's calculator: a page whose formulas are the registry's, translated when the page is built."""
