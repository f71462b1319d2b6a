#include "renderer/photon/trace/photon_guide.h"

#include <algorithm>

#include "core/device/block.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kGuideThreads = 128;
using GuideBlock = Block<kGuideThreads>;

/// Whether the newest pass has been counted. Where no photons are guided, only the first pass is.
TL_D bool is_counted(const GuideDensities& densities, bool is_first) {
    return is_first || densities.share > 0;
}

/// Builds one density per block: for each group those of directions and positions, and last that of
/// the source choice.
struct LearnTables {
    const GuideSums<std::uint32_t>* counts;
    GuideSums<float>* learned;
    GuideDensities* densities;
    bool is_first;
    std::uint32_t n_groups;

    struct Shared {
        /// Quadtree over the cells, all levels.
        float levels[kPlaceCells * kPlaceCells * 4 / 3 + 1];
        float rows[kPlaceCells];
    };

    TL_D void operator()(const GuideBlock& block, Shared& shared) const {
        if (!is_counted(*densities, is_first)) return;
        std::uint32_t group = block.index / 2;
        if (block.index == 2 * n_groups)
            make(block, shared, counts->source, learned->source, densities->source);
        else if (block.index % 2 == 0)
            make(block, shared, counts->direction[group], learned->direction[group],
                 densities->direction[group]);
        else
            make(block, shared, counts->place[group], learned->place[group],
                 densities->place[group]);
    }
    template <int kSize>
    TL_D void make(const GuideBlock& block, Shared& shared,
                   const GuideCells<std::uint32_t, kSize>& newest, GuideCells<float, kSize>& sums,
                   CellDensity<kSize>& density) const {
        for (std::uint32_t i = block.rank; i < kSize * kSize; i += block.size) {
            float before = is_first ? 0.0f : sums.cells[i];
            sums.cells[i] = before + static_cast<float>(newest.cells[i]) / GuideRecord::kOne;
        }
        block.sync();
        estimate<kSize>(block, sums.cells, shared.levels);
        // Prefix sums: over the cells of each row, and over the rows.
        for (std::uint32_t row = block.rank; row < kSize; row += block.size) {
            const float* cells = shared.levels + row * kSize;
            float sum = 0;
            for (int cell = 0; cell < kSize; ++cell) density.cells[row][cell] = sum += cells[cell];
            for (int cell = 0; cell < kSize; ++cell) density.cells[row][cell] /= sum;
            shared.rows[row] = sum;
        }
        block.sync();
        if (block.rank != 0) return;
        float sum = 0;
        for (int row = 0; row < kSize; ++row) density.rows[row] = sum += shared.rows[row];
        for (int row = 0; row < kSize; ++row) density.rows[row] /= sum;
    }
    /// Estimates the probabilities of the cells, stored by rows, from photon counts. Goes down the
    /// quadtree from the root: each quarter counts kPrior further photons, so that small cells
    /// differ only where photons are many.
    template <int kSize>
    TL_D static void estimate(const GuideBlock& block, const float* sums, float* levels) {
        constexpr float kPrior = 2;
        for (std::uint32_t i = block.rank; i < kSize * kSize; i += block.size)
            levels[i] =
                blurred<kSize>(sums, static_cast<int>(i / kSize), static_cast<int>(i % kSize));
        block.sync();
        std::uint32_t first = 0, size = kSize;
        for (; size > 1; size /= 2) {
            for (std::uint32_t i = block.rank; i < size * size / 4; i += block.size)
                levels[first + size * size + i] = quarters(levels + first, size, i).sum();
            block.sync();
            first += size * size;
        }
        if (block.rank == 0) levels[first] = 1;
        block.sync();
        for (; size < kSize; size *= 2) {
            std::uint32_t above = first;
            first -= 4 * size * size;
            for (std::uint32_t i = block.rank; i < size * size; i += block.size)
                quarters(levels + first, 2 * size, i).share(levels[above + i], kPrior);
            block.sync();
        }
    }
    /// The four children of a quadtree node.
    struct Quarters {
        float *upper, *lower;

        [[nodiscard]] TL_D float sum() const { return upper[0] + upper[1] + lower[0] + lower[1]; }
        /// Turns counts into probabilities that sum up to `whole`.
        TL_D void share(float whole, float prior) const {
            float scale = whole / (sum() + 4 * prior);
            upper[0] = (upper[0] + prior) * scale;
            upper[1] = (upper[1] + prior) * scale;
            lower[0] = (lower[0] + prior) * scale;
            lower[1] = (lower[1] + prior) * scale;
        }
    };
    /// Children, on the level of size x size nodes, of node `i` of the level above.
    [[nodiscard]] TL_D static Quarters quarters(float* level, std::uint32_t size, std::uint32_t i) {
        std::uint32_t y = i / (size / 2), x = i % (size / 2);
        return {level + 2 * y * size + 2 * x, level + (2 * y + 1) * size + 2 * x};
    }
    /// Mean of a cell and its neighbours: useful regions do not end at cell borders.
    template <int kSize>
    [[nodiscard]] TL_D static float blurred(const float* sums, int row, int cell) {
        float sum = 0;
        int n = 0;
        for (int y = row - 1; y <= row + 1; ++y)
            for (int x = cell - 1; x <= cell + 1; ++x) {
                if (x < 0 || y < 0 || x >= kSize || y >= kSize) continue;
                sum += sums[y * kSize + x];
                ++n;
            }
        return sum / static_cast<float>(n);
    }
};

/// Chooses the fraction of guided rays.
struct LearnShare {
    const GuideSums<float>* learned;
    float* n_emitted;
    GuideDensities* densities;
    float n_counted;
    bool is_first;

    TL_D void operator()(std::uint32_t) const {
        if (!is_counted(*densities, is_first)) return;
        constexpr float kMost = 0.8f, kFew = 0.1f, kMany = 0.3f, kEnough = 64;
        float n = is_first ? n_counted : *n_emitted + n_counted, arrived = 0;
        for (float cell : learned->source.cells) arrived += cell;
        float rare = minimum(maximum((kMany - arrived / n) / (kMany - kFew), 0.0f), 1.0f);
        densities->share = kMost * rare * minimum(arrived / kEnough, 1.0f);
        *n_emitted = n;
    }
};

}  // namespace

PhotonGuide LearnedGuide::guide() const {
    return {has_learned_ ? densities_.data() : nullptr};
}

GuideRecord LearnedGuide::record(Stream& stream, std::uint32_t every) {
    counts_.resize_discard(stream, 1);
    learned_.resize_discard(stream, 1);
    n_emitted_.resize_discard(stream, 1);
    densities_.resize_discard(stream, 1);
    counts_.fill_zero(stream);
    return {counts_.data(), every};
}

void LearnedGuide::learn(Stream& stream, std::uint32_t n_counted, std::uint32_t n_sources) {
    std::uint32_t n_groups = std::min(n_sources, kGuideGroups);
    bool is_first = !has_learned_;
    const LearnTables tables{counts_.data(), learned_.data(), densities_.data(), is_first,
                             n_groups};
    launch_blocks<kGuideThreads, LearnTables::Shared>(stream, "guide photons", 2 * n_groups + 1,
                                                      tables);
    parallel_for(stream, "guided share", 1,
                 LearnShare{learned_.data(), n_emitted_.data(), densities_.data(),
                            static_cast<float>(n_counted), is_first});
    has_learned_ = true;
}

TL_DEVICE_END
