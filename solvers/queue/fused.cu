// The kernel of fused chains: a block takes a tile of elements through all steps. A slot of shared
// memory holds the tile's values of one variable. Each thread keeps to its own elements, so that no
// synchronisation is needed.
#include "solvers/queue/fused.h"

#include <cmath>

#include "core/device/block.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kFusedThreads = 256;
/// On the CPU a tile's slots stay in the first cache; on a GPU seven blocks fit on a
/// multiprocessor.
constexpr int kFusedTile = 512;

template <class T>
struct RunFused {
    struct Shared {
        T slots[kFusedSlots][kFusedTile];
    };
    FusedProgram program;
    std::array<const T*, kFusedArrays> inputs;
    std::array<T*, kFusedArrays> outputs;
    std::size_t size;

    template <class Function>
    TL_D static void each(const Block<kFusedThreads>& block, int count, Function function) {
        for (int e = static_cast<int>(block.rank); e < count; e += static_cast<int>(block.size))
            function(e);
    }

    template <class Function>
    TL_D static void binary(const Block<kFusedThreads>& block, int count, const FusedStep& step,
                            const T* a, const T* b, T* to, Function function) {
        T scalar = static_cast<T>(step.op.scalar);
        if (step.op.form == ElementForm::both)
            each(block, count, [=](int e) { to[e] = function(a[e], b[e]); });
        else if (step.op.form == ElementForm::scalar_right)
            each(block, count, [=](int e) { to[e] = function(a[e], scalar); });
        else
            each(block, count, [=](int e) { to[e] = function(scalar, a[e]); });
    }

    TL_D static void compute(const Block<kFusedThreads>& block, int count, const FusedStep& step,
                             const T* a, const T* b, T* to) {
        auto by = [&](auto function) { binary(block, count, step, a, b, to, function); };
        switch (step.op.code) {
            case ElementCode::add:
                return by([](T x, T y) { return x + y; });
            case ElementCode::subtract:
                return by([](T x, T y) { return x - y; });
            case ElementCode::multiply:
                return by([](T x, T y) { return x * y; });
            case ElementCode::divide:
                return by([](T x, T y) { return x / y; });
            case ElementCode::minimum:
                return by([](T x, T y) { return y < x ? y : x; });
            case ElementCode::maximum:
                return by([](T x, T y) { return x < y ? y : x; });
            case ElementCode::negate:
                return each(block, count, [=](int e) { to[e] = -a[e]; });
            case ElementCode::absolute:
                return each(block, count, [=](int e) { to[e] = std::abs(a[e]); });
            case ElementCode::square_root:
                return each(block, count, [=](int e) { to[e] = std::sqrt(a[e]); });
            case ElementCode::exponential:
                return each(block, count, [=](int e) { to[e] = std::exp(a[e]); });
            case ElementCode::power:
                return by([](T x, T y) { return std::pow(x, y); });
            case ElementCode::equal:
                return by([](T x, T y) { return static_cast<T>(x == y); });
            case ElementCode::not_equal:
                return by([](T x, T y) { return static_cast<T>(x != y); });
            case ElementCode::less:
                return by([](T x, T y) { return static_cast<T>(x < y); });
            case ElementCode::less_equal:
                return by([](T x, T y) { return static_cast<T>(x <= y); });
            case ElementCode::logical_and:
                return by([](T x, T y) { return static_cast<T>(x != 0 && y != 0); });
            case ElementCode::logical_or:
                return by([](T x, T y) { return static_cast<T>(x != 0 || y != 0); });
        }
    }

    TL_D void operator()(const Block<kFusedThreads>& block, Shared& shared) const {
        std::size_t first = static_cast<std::size_t>(block.index) * kFusedTile;
        int count = size - first < kFusedTile ? static_cast<int>(size - first) : kFusedTile;
        for (int s = 0; s < program.n_steps; ++s) {
            const FusedStep& step = program.steps[s];
            T* a = shared.slots[step.a];
            T* to = shared.slots[step.to];
            if (step.action == FusedAction::load) {
                const T* from = inputs[step.b] + first;
                each(block, count, [=](int e) { to[e] = from[e]; });
            } else if (step.action == FusedAction::store) {
                T* into = outputs[step.b] + first;
                each(block, count, [=](int e) { into[e] = a[e]; });
            } else {
                compute(block, count, step, a, shared.slots[step.b], to);
            }
        }
    }
};

}  // namespace

template <class T>
void run_fused(Stream& stream, const FusedProgram& program,
               const std::array<const T*, kFusedArrays>& inputs,
               const std::array<T*, kFusedArrays>& outputs, std::size_t size) {
    if (size == 0) return;
    auto n_blocks = static_cast<std::uint32_t>((size + kFusedTile - 1) / kFusedTile);
    launch_blocks<kFusedThreads>(stream, "fused elements", n_blocks,
                                 RunFused<T>{program, inputs, outputs, size});
}

template void run_fused(Stream&, const FusedProgram&, const std::array<const float*, kFusedArrays>&,
                        const std::array<float*, kFusedArrays>&, std::size_t);
template void run_fused(Stream&, const FusedProgram&,
                        const std::array<const double*, kFusedArrays>&,
                        const std::array<double*, kFusedArrays>&, std::size_t);

TL_DEVICE_END
