"""The shop of the demo: a small Python project with tests, its plan, and what the agents write into it."""

from __future__ import annotations

import sys

MAKEFILE = f"""\
test:
	@{sys.executable} -S -E -B -m unittest -q
lint:
	@! grep -n 'print(' *.py
"""
PRICES = """\
VAT = 0.19


def gross(net):
    return round(net * (1 + VAT), 2)
"""
SHOP = {"Makefile": MAKEFILE, "prices.py": PRICES}

PLAN = """\
# Sprint 1

## Task: Greet by name
Priority: P1
Acceptance: greet("Ada") says hello Ada

## Task: Log in with a password
Labels: security
Priority: P1
Acceptance: a wrong password is refused

## Task: Print a receipt
Labels: review:batch

## Task: Call gross by its proper name, with_vat
Labels: review:batch
"""


def test_of(module: str, name: str, *claims: str) -> str:
    """A test file of one test for each claim."""
    tests = "".join(f"\n    def test_{number}(self):\n        {claim}\n" for number, claim in enumerate(claims, 1))
    return f"import unittest\n\nfrom {module} import {name}\n\n\nclass Test(unittest.TestCase):{tests}"


SHOP["test_prices.py"] = test_of("prices", "gross", "self.assertEqual(gross(100), 119)")

GREETING = {
    "greeting.py": 'def greet(name):\n    return f"hello {name}"\n',
    "test_greeting.py": test_of("greeting", "greet", 'self.assertEqual(greet("Ada"), "hello Ada")'),
}
RECEIPT = {
    "receipt.py": 'from prices import gross\n\n\ndef receipt(net):\n    return f"total {gross(net)}"\n',
    "test_receipt.py": test_of("receipt", "receipt", 'self.assertTrue(receipt(100).startswith("total 119"))'),
}
BETTER_TEST = {"test_receipt.py": test_of("receipt", "receipt", 'self.assertEqual(receipt(19.99), "total 23.79")')}
PATCH = "\n".join(
    [
        "--- a/receipt.py",
        "+++ b/receipt.py",
        "@@ -4,2 +4,2 @@",
        " def receipt(net):",
        '-    return f"total {gross(net)}"',
        '+    return f"total {gross(net):.2f}"',
        "",
    ]
)
REVIEW = {
    "type": "review_result",
    "payload": {
        "verdict": "concerns",
        "summary": "The total is not money yet, and the test does not notice.",
        "files_reviewed": ["receipt.py", "test_receipt.py"],
        "issues": [
            {
                "severity": "HIGH",
                "title": "19.99 prints 23.788099999999997",
                "location": "receipt.py:5",
                "quote": 'return f"total {gross(net)}"',
                "problem": "the total is printed as it is computed",
                "why": "customers pay in cents",
                "fix": "print two decimals",
                "fix_patch": PATCH,
            },
            {"severity": "LOW", "title": "the currency is missing", "location": "receipt.py:5", "fix": "say which"},
        ],
    },
}
"""What codex finds in the first receipt."""
RENAMED = {name: SHOP[name].replace("gross", "with_vat") for name in ("prices.py", "test_prices.py")}

RIGHT = 'self.assertTrue(allowed("open sesame", "open sesame"))'
WRONG = 'self.assertFalse(allowed("open barley", "open sesame"))'
LOGIN = {
    "login.py": "def allowed(password, stored):\n    return password == stored\n",
    "test_login.py": test_of("login", "allowed", RIGHT),
}
BETTER_LOGIN = {
    "login.py": "from hmac import compare_digest\n\n\ndef allowed(password, stored):\n    return "
    "compare_digest(password, stored)\n",
    "test_login.py": test_of("login", "allowed", RIGHT, WRONG),
}
BACKDOOR = {"login.py": BETTER_LOGIN["login.py"].rstrip("\n") + ' or password == "letmein"\n'}

RENAMED_AGAIN = {
    **RENAMED,
    "receipt.py": RECEIPT["receipt.py"].replace("gross", "with_vat").replace("(net)}", "(net):.2f}"),
}
"""What codex hands in when it knows of the receipt."""
REFUND = {
    "refund.py": "from prices import gross\n\n\ndef refund(net, paid):\n    back = gross(net)\n    if back > paid:\n"
    '        raise ValueError("more than was paid")\n    return -back\n',
    "test_refund.py": test_of("refund", "refund", "self.assertEqual(refund(100, 119), -119)"),
}
NO_EMPTY_GREETING = {
    "greeting.py": 'def greet(name):\n    if not name.strip():\n        raise ValueError("whom?")\n'
    '    return f"hello {name}"\n',
    "test_greeting.py": test_of(
        "greeting", "greet", 'self.assertEqual(greet("Ada"), "hello Ada")', 'self.assertRaises(ValueError, greet, " ")'
    ),
}
