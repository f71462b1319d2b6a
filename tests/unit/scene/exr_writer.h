// OpenEXR files of every supported layout, made for tests. Chunks are stored uncompressed, which
// each compression allows for data that it cannot shrink.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/math.h"

namespace tl::test {

/// Corner pixels of a rectangle, which belong to it.
struct ExrCorners {
    int left, top, right, bottom;
};

struct ExrChannelName {
    std::string name;
    int type = 2;  ///< 0: unsigned integers, 1: half, 2: float
    int sampling = 1;
};

/// Layout of an OpenEXR file.
struct ExrLayout {
    ExrCorners data{0, 0, 4, 2}, display{0, 0, 4, 2};
    int compression = 0;     ///< 0: none, 1: RLE, 2: ZIPS, 3: ZIP, 4: PIZ
    int order = 0;           ///< order of lines: increasing, decreasing, random
    Extent tile{0, 0};       ///< size of tiles; 0 x 0: scanlines
    std::uint32_t kind = 0;  ///< further bits of the version
    /// Whether the table of chunks is filled; else its entries are zeros, as after an interrupted
    /// write.
    bool has_table = true;
    std::vector<ExrChannelName> channels{{"B"}, {"G"}, {"R"}};
};

/// Value of a channel at a pixel: exact in half, and different for all neighbours.
inline float exr_value(int x, int y, std::size_t channel) {
    return static_cast<float>((x * 5 + y * 11) % 32) + static_cast<float>(channel) * 0.25f + 32;
}

/// A normal half for a value from 1 to 2047.
inline std::uint16_t half_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint16_t>((((bits >> 23) - 127 + 15) << 10) + ((bits >> 13) & 0x3ff));
}

class ExrWriter {
  public:
    explicit ExrWriter(const ExrLayout& layout) : layout_(layout) {}

    std::string write() {
        put(std::int32_t{20000630});
        bool is_tiled = layout_.tile.width > 0;
        put(std::uint32_t{2} | (is_tiled ? 0x200u : 0u) | layout_.kind);
        std::string list;
        for (auto& channel : layout_.channels) {
            list += channel.name + '\0';
            for (int number : {channel.type, 0, channel.sampling, channel.sampling})
                append(list, number);
        }
        attribute("channels", list + '\0');
        attribute("compression", std::string(1, static_cast<char>(layout_.compression)));
        attribute("dataWindow", as_text(layout_.data));
        attribute("displayWindow", as_text(layout_.display));
        attribute("lineOrder", std::string(1, static_cast<char>(layout_.order)));
        attribute("pixelAspectRatio", as_text(1.0f));
        attribute("screenWindowCenter", std::string(8, '\0'));
        attribute("screenWindowWidth", as_text(1.0f));
        attribute("comments", "");
        if (is_tiled) attribute("tiles", as_text(layout_.tile) + '\0');
        bytes_ += '\0';
        write_chunks(is_tiled);
        return bytes_;
    }

  private:
    template <class T>
    static std::string as_text(const T& value) {
        return {reinterpret_cast<const char*>(&value), sizeof value};
    }
    template <class T>
    static void append(std::string& text, const T& value) {
        text += as_text(value);
    }
    template <class T>
    void put(const T& value) {
        append(bytes_, value);
    }
    void attribute(const std::string& name, const std::string& value) {
        bytes_ += name + '\0' + "kind" + '\0';
        put(static_cast<std::uint32_t>(value.size()));
        bytes_ += value;
    }

    void write_chunks(bool is_tiled) {
        constexpr int kLines[] = {1, 1, 1, 16, 32};
        auto [left, top, right, bottom] = layout_.data;
        Extent size =
            is_tiled ? layout_.tile : Extent{right - left + 1, kLines[layout_.compression]};
        std::vector<std::string> chunks;
        for (int y = top; y <= bottom; y += size.height)
            for (int x = left; x <= right; x += size.width) {
                std::string chunk;
                if (is_tiled)
                    for (int number : {(x - left) / size.width, (y - top) / size.height, 0, 0})
                        append(chunk, number);
                else
                    append(chunk, y);
                std::string pixels = pixels_of({x, y, std::min(right, x + size.width - 1),
                                                std::min(bottom, y + size.height - 1)});
                append(chunk, static_cast<std::uint32_t>(pixels.size()));
                chunks.push_back(chunk + pixels);
            }
        // The order in the file; the table stays that of increasing y.
        std::vector<std::size_t> order(chunks.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        if (layout_.order == 1) std::ranges::reverse(order);
        if (layout_.order == 2) std::ranges::rotate(order, order.begin() + order.size() / 2);
        std::vector<std::uint64_t> table(chunks.size());
        std::uint64_t at = bytes_.size() + 8 * table.size();
        for (std::size_t i : order) {
            if (layout_.has_table) table[i] = at;
            at += chunks[i].size();
        }
        for (std::uint64_t entry : table) put(entry);
        for (std::size_t i : order) bytes_ += chunks[i];
    }

    [[nodiscard]] std::string pixels_of(const ExrCorners& window) const {
        std::string pixels;
        for (int y = window.top; y <= window.bottom; ++y)
            for (std::size_t c = 0; c < layout_.channels.size(); ++c)
                for (int x = window.left; x <= window.right; ++x) {
                    float value = exr_value(x, y, c);
                    if (layout_.channels[c].type == 1)
                        append(pixels, half_of(value));
                    else
                        append(pixels, value);
                }
        return pixels;
    }

    const ExrLayout& layout_;
    std::string bytes_;
};

inline std::string exr_file(const ExrLayout& layout) {
    return ExrWriter(layout).write();
}

}  // namespace tl::test
