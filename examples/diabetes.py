"""Are these numbers any good? Models of how diabetes goes on, against the best that see no feature.

Needs scikit-learn, which ships the data. Run it with ``python examples/diabetes.py``.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor

import clearbar as cb


def predicted() -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return the targets of a test set, each model's predictions, and the sex of each patient."""
    data = load_diabetes()
    x, x_test, y, y_test = train_test_split(data.data, data.target, test_size=0.5, random_state=0)
    models = {
        "linear regression": LinearRegression(),
        "random forest": RandomForestRegressor(100, random_state=0),
        "nearest neighbour": KNeighborsRegressor(1),
    }
    predictions = {name: model.fit(x, y).predict(x_test) for name, model in models.items()}
    predictions["mean of training"] = np.full(len(y_test), y.mean())
    return y_test, predictions, np.where(x_test[:, 1] > 0, "one", "other")


def main() -> None:
    """Judge them in three ways."""
    y_test, models, sex = predicted()
    print("Against one number for everybody:\n")
    print(cb.evaluate(y_test, models, ["mae", "rmse", "r2", "spearman"]))
    print("\nAgainst a number for each sex:\n")
    print(cb.evaluate_regression(y_test, models, ["mae", "r2"], given=sex))
    print("\nWhat there is to beat:\n")
    for name in ("mae", "rmse", "medae", "mape", "pinball@0.9", "max_error"):
        print(cb.baseline(y_test, name))


if __name__ == "__main__":
    main()
