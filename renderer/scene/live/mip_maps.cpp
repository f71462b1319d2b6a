#include "renderer/scene/live/mip_maps.h"

#include <algorithm>
#include <cmath>

#include "renderer/images/srgb.h"

namespace tl {
namespace {

/// Added to alpha for the weight, so that the mean of only transparent texels is defined.
constexpr float kLeastWeight = 1.0f / 1024;

/// Texels of a row: colours times their weights, and the weights in w.
using WeightedRow = std::vector<vec4>;

/// The texels of a row or column that lie under a texel of the next level, and their weights.
struct Taps {
    int first, count;
    float shares[3];
};

Taps taps_under(int i, int n) {
    if (n == 1) return {0, 1, {1, 0, 0}};
    if (n % 2 == 0) return {2 * i, 2, {0.5f, 0.5f, 0}};
    auto half = static_cast<float>(n / 2), place = static_cast<float>(i);
    auto size = static_cast<float>(n);
    return {2 * i, 3, {(half - place) / size, half / size, (place + 1) / size}};
}

/// Linear values of the 256 or 65,536 values that a channel of a texture can have.
std::vector<float> linear_values(const Texture& texture, bool holds_normals) {
    bool is_deep = !texture.lower.empty();
    std::vector<float> values(is_deep ? 65536 : 256);
    auto most = static_cast<float>(values.size() - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto value = static_cast<float>(i);
        if (texture.is_srgb)
            values[i] = linear_from_srgb(value / most);
        else if (holds_normals && is_deep)
            values[i] = (128 + 127 * (value - 32768) / 32767) / 255;
        else
            values[i] = value / most;
    }
    return values;
}

/// The texels of a texture with linear colours.
struct LinearTexels {
    LinearTexels(const Texture& texture, bool holds_normals)
        : texture(texture), linear(linear_values(texture, holds_normals)) {}

    /// The texel whose red is value `i`.
    [[nodiscard]] vec4 operator[](std::size_t i) const {
        const std::uint8_t* c = &texture.rgba[i];
        if (texture.lower.empty())
            return {linear[c[0]], linear[c[1]], linear[c[2]], static_cast<float>(c[3]) / 255};
        const std::uint8_t* low = &texture.lower[i];
        auto value = [&](int k) { return static_cast<std::size_t>(c[k] * 256 + low[k]); };
        return {linear[value(0)], linear[value(1)], linear[value(2)],
                static_cast<float>(value(3)) / 65535};
    }

    const Texture& texture;
    std::vector<float> linear;
};

std::uint16_t packed(float value) {
    return static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 65535));
}

/// Builds all levels in one pass over the rows of the finest. A row of a level is computed as soon
/// as the rows under it are there, which are then dropped.
class RowsOfLevels {
  public:
    RowsOfLevels(Extent finest, bool alpha_counts, const TakeTexels& take)
        : alpha_counts_(alpha_counts), take_(take) {
        std::size_t first = 0;
        for (Extent at = finest;; at = {std::max(at.width / 2, 1), std::max(at.height / 2, 1)}) {
            levels_.push_back({{first, at.width, at.height}, first, {}, {}, 0});
            first += static_cast<std::size_t>(at.width) * static_cast<std::size_t>(at.height);
            if (at.width == 1 && at.height == 1) break;
        }
    }

    /// Takes the next row of a level.
    void push(WeightedRow row, std::size_t level = 0) {
        Level& to = levels_[level];
        for (vec4 t : row)
            to.unsent.push_back({packed(t.x / t.w), packed(t.y / t.w), packed(t.z / t.w),
                                 packed(alpha_counts_ ? t.w - kLeastWeight : 1)});
        ++to.n_rows;
        if (to.unsent.size() >= kTexelsAtOnce || to.n_rows == to.place.height) send(to);
        if (level + 1 == levels_.size()) return;
        to.rows.push_back(std::move(row));
        int y = levels_[level + 1].n_rows;
        if (y == levels_[level + 1].place.height) return;
        Taps taps = taps_under(y, to.place.height);
        if (to.n_rows < taps.first + taps.count) return;
        push(coarse_row(to, taps), level + 1);
        // The next texel starts two rows further, at the last of three.
        to.rows.erase(to.rows.begin(), to.rows.end() - (taps.count == 3 ? 1 : 0));
    }

    [[nodiscard]] std::vector<MipLevel> places() const {
        std::vector<MipLevel> places;
        for (auto& level : levels_) places.push_back(level.place);
        return places;
    }

  private:
    static constexpr std::size_t kTexelsAtOnce = std::size_t{1} << 18;

    struct Level {
        MipLevel place;
        std::size_t next_texel;         ///< index in the mip map of the next texel to be passed on
        std::vector<Texel> unsent;      ///< texels from there on
        std::vector<WeightedRow> rows;  ///< rows still needed by the next level, at most three
        int n_rows;                     ///< rows pushed so far
    };

    WeightedRow coarse_row(const Level& fine, const Taps& rows) const {
        int width = fine.place.width;
        WeightedRow row;
        row.reserve(static_cast<std::size_t>(std::max(width / 2, 1)));
        for (int x = 0; x < std::max(width / 2, 1); ++x) {
            Taps columns = taps_under(x, width);
            vec4 sum(0);
            for (int j = 0; j < rows.count; ++j)
                for (int i = 0; i < columns.count; ++i)
                    sum += rows.shares[j] * columns.shares[i] *
                           fine.rows[static_cast<std::size_t>(j)]
                                    [static_cast<std::size_t>(columns.first + i)];
            row.push_back(sum);
        }
        return row;
    }

    void send(Level& level) {
        take_(level.next_texel, level.unsent);
        level.next_texel += level.unsent.size();
        level.unsent.clear();
    }

    bool alpha_counts_;
    const TakeTexels& take_;
    std::vector<Level> levels_;
};

}  // namespace

std::vector<MipLevel> make_mip_map(const Texture& texture, bool alpha_counts, bool holds_normals,
                                   const TakeTexels& take) {
    LinearTexels texels(texture, holds_normals);
    auto width = static_cast<std::size_t>(texture.width);
    RowsOfLevels levels({texture.width, texture.height}, alpha_counts, take);
    std::size_t at = 0;
    for (int y = 0; y < texture.height; ++y) {
        WeightedRow row;
        row.reserve(width);
        for (std::size_t x = 0; x < width; ++x, at += 4) {
            vec4 texel = texels[at];
            float weight = alpha_counts ? texel.w + kLeastWeight : 1;
            row.emplace_back(vec3(texel) * weight, weight);
        }
        levels.push(std::move(row));
    }
    return levels.places();
}

MipMap make_mip_map(const Texture& texture, bool alpha_counts, bool holds_normals) {
    MipMap map;
    map.texels.resize(mip_map_size(texture.width, texture.height));
    map.levels = make_mip_map(texture, alpha_counts, holds_normals,
                              [&](std::size_t first, std::span<const Texel> texels) {
                                  std::ranges::copy(texels, &map.texels[first]);
                              });
    return map;
}

std::size_t mip_map_size(int width, int height) {
    std::size_t size = 0;
    for (;; width = std::max(width / 2, 1), height = std::max(height / 2, 1)) {
        size += static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        if (width == 1 && height == 1) return size;
    }
}

}  // namespace tl
