#include "solvers/dense/random_matrix.h"

#include <cmath>

#include "accel/parallel/random.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

namespace {

struct Elements {
    ElementKind kind;
    double condition;
    std::uint64_t seed;
    int rows;

    TL_D static double even(RandomStream& random) {
        // 53 bits: 27 and 26.
        std::uint64_t high = random.next_uint() >> 5, low = random.next_uint() >> 6;
        return static_cast<double>((high << 26) | low) * 0x1p-52 - 1;
    }

    TL_D double operator()(int i, int j) const {
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
};

template <class T>
struct FillColumn {
    struct Shared {
        int unused;
    };
    Elements elements;
    MatrixView<T> a;

    TL_D void operator()(const TileBlock& block, Shared&) const {
        int j = static_cast<int>(block.index);
        for (int i = static_cast<int>(block.rank); i < a.rows; i += static_cast<int>(block.size))
            a(i, j) = static_cast<T>(elements(i, j));
    }
};

}  // namespace

template <class T>
void fill_elements(Stream& stream, ElementKind kind, double condition, std::uint64_t seed,
                   MatrixView<T> a) {
    launch_blocks<kTile, typename FillColumn<T>::Shared>(
        stream, "fill matrix", static_cast<std::uint32_t>(a.cols),
        FillColumn<T>{{kind, condition, seed, a.rows}, a});
}

template void fill_elements(Stream&, ElementKind, double, std::uint64_t, MatrixView<float>);
template void fill_elements(Stream&, ElementKind, double, std::uint64_t, MatrixView<double>);

TL_DEVICE_END
