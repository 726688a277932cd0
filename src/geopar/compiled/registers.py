"""Eight numbers at once, in compiled code.

Compilers keep the sums of a matrix product in registers only when they are told to. A value of the
type ``eight`` is one register (two where registers are shorter), and the functions below are what
compiled code does with it. Arrays are contiguous and are addressed as if they were flat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending
from numba.core import errors, types

LANES = 8
_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_PLACES = ir.VectorType(ir.IntType(32), LANES)
_NOTHING = ir.Constant(_FLOATS, ir.Undefined)
_ZERO = ir.Constant(_FLOATS, [0.0] * LANES)
# A product and a sum may be rounded once instead of twice, as in every matrix product.
_FUSED = ("contract",)


class Eight(types.Type):
    """The type of eight numbers."""

    def __init__(self) -> None:
        super().__init__("Eight")


eight = Eight()


@extending.register_model(Eight)
class _Model(extending.models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _FLOATS)  # type: ignore[no-untyped-call]


def _flat(array: Any) -> Any:
    """The type of an array, if it can be addressed as flat."""
    if not isinstance(array, types.Array) or array.layout != "C":
        raise errors.TypingError("eight numbers are read from contiguous arrays alone.")
    return array


def _code(emit: Callable[..., Any]) -> Callable[..., Any]:
    """How numba wants it; ``emit`` gets addresses instead of arrays."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        plain = (
            context.make_array(kind)(context, builder, value).data
            if isinstance(kind, types.Array)
            else value
            for kind, value in zip(signature.args, values, strict=True)
        )
        found = emit(builder, *plain)
        return context.get_dummy_value() if signature.return_type == types.void else found

    return code


def _function(emit: Any) -> Any:
    """A function of compiled code alone; to those who check types it is anything."""
    return extending.intrinsic(emit)


def _address(builder: Any, data: Any, at: Any) -> Any:
    return builder.bitcast(builder.gep(data, [at]), _FLOATS.as_pointer())


def _spread(builder: Any, x: Any) -> Any:
    first = builder.insert_element(_NOTHING, x, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, _NOTHING, ir.Constant(_PLACES, [0] * LANES))


@_function
def get(typing: Any, array: Any, at: Any) -> Any:
    """One number; unlike with brackets, nobody asks whether the place is negative."""
    emit = _code(lambda builder, data, at: builder.load(builder.gep(data, [at])))
    return array.dtype(_flat(array), types.intp), emit


@_function
def load(typing: Any, array: Any, at: Any) -> Any:
    """Eight numbers from there on."""
    emit = _code(lambda builder, data, at: builder.load(_address(builder, data, at), align=4))
    return eight(_flat(array), types.intp), emit


@_function
def store(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """Put eight numbers there."""

    def emit(builder: Any, data: Any, at: Any, value: Any) -> None:
        builder.store(value, _address(builder, data, at), align=4)

    return types.void(_flat(array), types.intp, eight), _code(emit)


@_function
def spread(typing: Any, x: Any) -> Any:
    """Eight times the same float32."""
    return eight(types.float32), _code(_spread)


@_function
def plus(typing: Any, a: Any, b: Any) -> Any:
    """Sums."""
    return eight(eight, eight), _code(lambda builder, a, b: builder.fadd(a, b, flags=_FUSED))


@_function
def minus(typing: Any, a: Any, b: Any) -> Any:
    """Differences."""
    return eight(eight, eight), _code(lambda builder, a, b: builder.fsub(a, b))


@_function
def times(typing: Any, a: Any, b: Any) -> Any:
    """Products."""
    return eight(eight, eight), _code(lambda builder, a, b: builder.fmul(a, b, flags=_FUSED))


@_function
def add_scaled(typing: Any, total: Any, x: Any, a: Any) -> Any:
    """The total with x times eight numbers added."""

    def emit(builder: Any, total: Any, x: Any, a: Any) -> Any:
        product = builder.fmul(_spread(builder, x), a, flags=_FUSED)
        return builder.fadd(total, product, flags=_FUSED)

    return eight(eight, types.float32, eight), _code(emit)


@_function
def larger(typing: Any, a: Any, b: Any) -> Any:
    """The larger of each two."""
    return eight(eight, eight), _code(
        lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b)
    )


@_function
def where_positive(typing: Any, a: Any, value: Any) -> Any:
    """The value where a is above zero, else zero."""
    return eight(eight, eight), _code(
        lambda builder, a, value: builder.select(builder.fcmp_ordered(">", a, _ZERO), value, _ZERO)
    )


@_function
def where_equal(typing: Any, a: Any, b: Any, value: Any) -> Any:
    """The value where a equals b, else zero."""
    return eight(eight, eight, eight), _code(
        lambda builder, a, b, value: builder.select(builder.fcmp_ordered("==", a, b), value, _ZERO)
    )


@_function
def signs(typing: Any, a: Any) -> Any:
    """A byte, with a bit set where a is above zero."""
    return types.uint8(eight), _code(
        lambda builder, a: builder.bitcast(builder.fcmp_ordered(">", a, _ZERO), ir.IntType(8))
    )


@_function
def added_up(typing: Any, a: Any) -> Any:
    """The sum of the eight, in pairs."""

    def emit(builder: Any, a: Any) -> Any:
        for distance in (4, 2, 1):
            places = [i + distance if i + distance < LANES else i for i in range(LANES)]
            shifted = builder.shuffle_vector(a, _NOTHING, ir.Constant(_PLACES, places))
            a = builder.fadd(a, shifted)
        return builder.extract_element(a, ir.Constant(ir.IntType(32), 0))

    return types.float32(eight), _code(emit)
