#include "renderer/photon/photon_guide.h"

TL_DEVICE_BEGIN

namespace {

using Warp = Block<32>;

struct GuidePass {
    View<const GuideCounts> counts;
    std::uint32_t n_emitted;
    View<GuideDensities> densities;

    struct Shared {
        float sums[32];  ///< of the rows
    };

    /// A cell's count with those of its neighbours, since what is useful does not end at cells, and
    /// a little more, so that no row is empty.
    template <int kSize>
    TL_D static float blurred(const std::uint32_t* counts, int row, int cell) {
        std::uint32_t sum = 0;
        for (int y = row - 1; y <= row + 1; ++y)
            for (int x = cell - 1; x <= cell + 1; ++x)
                if (x >= 0 && y >= 0 && x < kSize && y < kSize) sum += counts[y * kSize + x];
        return static_cast<float>(sum) + 1e-3f;
    }
    template <int kSize>
    TL_D static void make(const Warp& warp, Shared& shared, const std::uint32_t* counts,
                          CellDensity<kSize>& density) {
        for (std::uint32_t i = warp.rank; i < kSize; i += warp.size) {
            auto row = static_cast<int>(i);
            float sum = 0;
            for (int cell = 0; cell < kSize; ++cell)
                density.cells[row][cell] = sum += blurred<kSize>(counts, row, cell);
            for (int cell = 0; cell < kSize; ++cell) density.cells[row][cell] /= sum;
            shared.sums[row] = sum;
        }
        warp.sync();
        if (warp.rank == 0) {
            float sum = 0;
            for (int row = 0; row < kSize; ++row) density.rows[row] = sum += shared.sums[row];
            for (int row = 0; row < kSize; ++row) density.rows[row] /= sum;
        }
        warp.sync();
    }
    [[nodiscard]] TL_D float share_of(std::uint32_t n) const {
        constexpr float kMost = 0.8f, kFew = 0.1f, kMany = 0.3f, kEnough = 64;
        std::uint32_t n_all = 0;
        for (std::uint32_t g = 0; g < kGuideGroups; ++g) n_all += counts[g].n;
        float arrived = static_cast<float>(n_all) / static_cast<float>(n_emitted);
        float rare = minimum(maximum((kMany - arrived) / (kMany - kFew), 0.0f), 1.0f);
        return kMost * rare * minimum(static_cast<float>(n) / kEnough, 1.0f);
    }
    TL_D void operator()(const Warp& warp, Shared& shared) const {
        const GuideCounts& group = counts[warp.index];
        GuideDensities& density = densities[warp.index];
        make<32>(warp, shared, group.direction, density.direction);
        make<16>(warp, shared, group.place, density.place);
        if (warp.rank == 0) density.share = share_of(group.n);
    }
};

}  // namespace

void make_guide(Stream& stream, View<const GuideCounts> counts, std::uint32_t n_emitted,
                View<GuideDensities> densities) {
    launch_blocks<32, GuidePass::Shared>(stream, "guide photons", kGuideGroups,
                                         GuidePass{counts, n_emitted, densities});
}

TL_DEVICE_END
