"""Slices and weights of another array library, brought to this process."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.data.labels import Column, DeviceColumn, HostColumn, guarded, read


def refuse_apart(column: Column, other: Column) -> None:
    """Raise if two arrays live on different devices, or in different libraries."""
    if not (isinstance(column, DeviceColumn) and isinstance(other, DeviceColumn)):
        return
    import array_api_compat

    homes = [f"{array_api_compat.device(c.array)} ({c.xp.__name__})" for c in (column, other)]
    if len(set(homes)) > 1:
        raise ValueError(
            f"{column.name} and {other.name} must be in the same place; found {homes[0]} and "
            f"{homes[1]}. Move one to the other first."
        )


def read_here(value: Any, name: str) -> HostColumn:
    """Return what was passed as a column in this process's memory."""
    column = read(value, name)
    return to_host(column) if isinstance(column, DeviceColumn) else column


def to_host(column: DeviceColumn) -> HostColumn:
    """Return a column in this process's memory."""
    with guarded(column.array, column.name):
        result = read(_array(column), column.name)
    if isinstance(result, DeviceColumn):
        raise TypeError(column.name)
    return result


def array_here(value: Any, name: str) -> Any:
    """Return an array of another library in this process's memory; anything else as it is."""
    import array_api_compat

    if isinstance(value, np.ndarray) or not array_api_compat.is_array_api_obj(value):
        return value
    return _array(DeviceColumn(name, value, array_api_compat.array_namespace(value)))


def _array(column: DeviceColumn) -> Any:
    import array_api_compat

    if array_api_compat.is_cupy_array(column.array):
        return column.array.get()
    if array_api_compat.is_torch_array(column.array):
        tensor = column.array.detach().cpu()
        return (tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).numpy()  # NumPy has none
    host = column.xp.__array_namespace_info__().default_device()
    return np.asarray(array_api_compat.to_device(column.array, host))
