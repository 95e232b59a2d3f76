"""The demo's shop: a small Python project with tests, its plan, and the work of its agents."""

from __future__ import annotations

import sys

GREET, DISCOUNT, CURRENCY, CENTS, ORDER, LOGIN, RECEIPT = (
    "Greet by name", "Give a discount", "Prices name their currency", "Round to whole cents", "Read an order line",
    "Log in with a password", "Print a receipt",
)  # fmt: skip
PLAN_TITLES = (GREET, DISCOUNT, CURRENCY, CENTS, ORDER, LOGIN, RECEIPT)
MAKEFILE = f"""\
test:
	@{sys.executable} -S -E -B -m unittest -q
lint:
	@! grep -n 'print(' *.py
"""
PRICES = """\
VAT = 0.19


def gross(net):
    return net * (1 + VAT)


def label(net):
    return f"{gross(net)}"
"""

PLAN = f"""\
# Sprint 1

## Task: {CURRENCY}
Priority: P0
Labels: review:auto

## Task: {CENTS}
Priority: P0
Labels: review:auto

## Task: {GREET}
Priority: P1
Labels: review:auto
Acceptance: greet("Ada") says hello Ada

## Task: {DISCOUNT}
Priority: P1
Labels: review:auto

## Task: {ORDER}
Priority: P2
Labels: review:auto

## Task: {LOGIN}
Priority: P2
Labels: security
Acceptance: a wrong password is refused

## Task: {RECEIPT}
Priority: P3
Labels: review:batch
"""


def test_of(module: str, name: str, *claims: str) -> str:
    """Return a test file with one test per claim."""
    tests = "".join(f"\n    def test_{number}(self):\n        {claim}\n" for number, claim in enumerate(claims, 1))
    return f"import unittest\n\nfrom {module} import {name}\n\n\nclass Test(unittest.TestCase):{tests}"


SHOP = {
    "Makefile": MAKEFILE,
    "prices.py": PRICES,
    "test_prices.py": test_of("prices", "gross", "self.assertAlmostEqual(gross(100), 119)"),
}

SETTINGS = """

[tiers]
developer = "dev"
senior = "senior"

[agents.dev]
program = "scripted"
args = ["{script}"]
slots = 3

[agents.senior]
program = "scripted"
args = ["{script}"]

[agents.critic]
program = "scripted"
args = ["{script}"]

[agents.reader]
program = "scripted"
args = ["{script}"]

[review.label_rules.security]
mode = "per-task"
auto_approve = false
independence = "origin"

[loop]
no_progress_limit = 1
"""
"""Additions to the demo's foureyes.toml: two agents that work and two that review, all scripted. Security tasks need a
person, and loops escalate early.
"""

PEERS = """
[review.peers]
reviewers = ["critic", "reader"]
ask = 2
"""
"""Addition if no story is printed: two peers review every submission without being requested."""

ShopFiles = dict[str, str]

GREETING: ShopFiles = {
    "greeting.py": 'def greet(name):\n    return f"hello {name}"\n',
    "test_greeting.py": test_of("greeting", "greet", 'self.assertEqual(greet("Ada"), "hello Ada")'),
}
WRONG_DISCOUNT: ShopFiles = {
    "discount.py": "def discounted(price, percent):\n    return price - percent\n",
    "test_discount.py": test_of("discount", "discounted", "self.assertEqual(discounted(200, 10), 180)"),
}
RIGHT_DISCOUNT: ShopFiles = {
    "discount.py": "def discounted(price, percent):\n    return price * (100 - percent) / 100\n"
}
IN_EURO: ShopFiles = {"prices.py": PRICES.replace('f"{gross(net)}"', 'f"{gross(net)} EUR"')}
IN_CENTS: ShopFiles = {"prices.py": PRICES.replace('f"{gross(net)}"', 'f"{gross(net):.2f}"')}
BOTH: ShopFiles = {"prices.py": PRICES.replace('f"{gross(net)}"', 'f"{gross(net):.2f} EUR"')}
WRONG_ORDER: ShopFiles = {
    "order.py": 'def read(line):\n    name, count = line.split(",")\n    return name, int(count)\n',
    "test_order.py": test_of("order", "read", 'self.assertEqual(read(\'"tea, green", 2\'), ("tea, green", 2))'),
}
STILL_WRONG_ORDER: ShopFiles = {
    "order.py": 'def read(line):\n    name, _, count = line.partition(",")\n    return name.strip(), int(count)\n'
}
RIGHT_ORDER: ShopFiles = {
    "order.py": "import csv\n\n\ndef read(line):\n    name, count = next(csv.reader([line], skipinitialspace=True))\n"
    "    return name, int(count)\n"
}
PASSWORD: ShopFiles = {
    "login.py": "from hmac import compare_digest\n\n\ndef allowed(password, stored):\n"
    "    return compare_digest(password, stored)\n",
    "test_login.py": test_of(
        "login", "allowed", 'self.assertTrue(allowed("sesame", "sesame"))',
        'self.assertFalse(allowed("barley", "sesame"))',
    ),
}  # fmt: skip
RECEIPT_LINE = 'return f"total {gross(net)}"'
FIRST_RECEIPT: ShopFiles = {
    "receipt.py": f"from prices import gross\n\n\ndef receipt(net):\n    {RECEIPT_LINE}\n",
    "test_receipt.py": test_of("receipt", "receipt", 'self.assertTrue(receipt(100).startswith("total 119"))'),
}
BETTER_RECEIPT: ShopFiles = {
    "receipt.py": FIRST_RECEIPT["receipt.py"].replace("(net)}", "(net):.2f}"),
    "test_receipt.py": test_of("receipt", "receipt", 'self.assertEqual(receipt(19.99), "total 23.79")'),
}
CONCERN = {
    "verdict": "concerns",
    "summary": "The total is not money yet, and the test does not notice.",
    "issues": [
        {
            "severity": "HIGH",
            "title": "19.99 prints 23.788099999999997",
            "location": "receipt.py:5",
            "quote": RECEIPT_LINE,
            "problem": "the total is printed as it is computed",
            "why": "customers pay in cents",
            "fix": "print two decimals",
        }
    ],
}
"""The critic's review of the first receipt."""
AGREED = {
    "verdict": "approved",
    "summary": "Two decimals, and a test that notices.",
    "rulings": [{"finding": "TL-{task}-1-001", "ruling": "VERIFIED", "reason": "19.99 prints 23.79 now"}],
}
HASHED: ShopFiles = {
    "login.py": "from hashlib import pbkdf2_hmac\nfrom hmac import compare_digest\n\n\n"
    "def stored_for(password, salt):\n    return pbkdf2_hmac('sha256', password.encode(), salt, 100_000)\n\n\n"
    "def allowed(password, salt, stored):\n    return compare_digest(stored_for(password, salt), stored)\n",
    "test_login.py": "import unittest\n\nfrom login import allowed, stored_for\n\n\nclass Login(unittest.TestCase):\n"
    "    def test_a_wrong_password_is_refused(self):\n        stored = stored_for('sesame', b'salt')\n"
    "        self.assertTrue(allowed('sesame', b'salt', stored))\n"
    "        self.assertFalse(allowed('Sesame', b'salt', stored))\n",
}
"""The login after it was sent back."""
STORED_HASHED = {"verdict": "approved", "summary": "What is stored is no password any more."}
BLOCKER = {
    "verdict": "blocker",
    "summary": "Is what is stored the password itself? A leak would be one of all.",
}
FINE = {"verdict": "approved", "summary": "It does what the task says."}
