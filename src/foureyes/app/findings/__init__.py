"""What was found: findings, answers, rulings."""
