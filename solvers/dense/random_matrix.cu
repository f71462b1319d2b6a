#include "solvers/dense/random_matrix.h"

#include <cmath>

#include "core/base/random.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

/// The next number, uniform in [-1, 1).
TL_D double even(RandomStream& random) {
    // 53 bits: 27 and 26.
    std::uint64_t high = random.next_uint() >> 5, low = random.next_uint() >> 6;
    return static_cast<double>((high << 26) | low) * 0x1p-52 - 1;
}

/// Element (i, j) of a matrix of `rows` rows.
TL_D double element_of(ElementKind kind, double condition, std::uint64_t seed, int rows, int i,
                       int j) {
    RandomStream random(seed, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
    switch (kind) {
        case ElementKind::uniform:
            return even(random);
        case ElementKind::bell:
            return (even(random) + even(random)) + (even(random) + even(random));
        case ElementKind::graded:
            return even(random) * pow(condition, rows > 1 ? -double(i) / (rows - 1) : 0.0);
        case ElementKind::hilbert:
            return 1.0 / (double(i) + j + 1);
        case ElementKind::kahan:
            return j < i ? 0 : pow(sin(1.2), double(i)) * (i == j ? 1.0 : -cos(1.2));
        case ElementKind::bidiagonal:
            return j == i || j == i + 1 ? even(random) : 0;
        case ElementKind::toeplitz:
            return 1.0 / (1 + (i > j ? i - j : j - i));
    }
    return 0;
}

}  // namespace

template <class T>
void fill_elements(Stream& stream, ElementKind kind, double condition, std::uint64_t seed,
                   MatrixView<T> a, int first_column) {
    for_elements(
        stream, "fill matrix", a.rows, a.cols, TL_LAMBDA(int i, int j) {
            a(i, j) =
                static_cast<T>(element_of(kind, condition, seed, a.rows, i, j + first_column));
        });
}

template void fill_elements(Stream&, ElementKind, double, std::uint64_t, MatrixView<float>, int);
template void fill_elements(Stream&, ElementKind, double, std::uint64_t, MatrixView<double>, int);

TL_DEVICE_END
