#include "renderer/images/hdr_io.h"

#include <stb_image_write.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "accel/parallel/one_line.h"
#include "renderer/images/image_claims.h"

namespace tl {
namespace {

class HdrDecoder {
  public:
    HdrDecoder(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

    ImageF decode() {
        ImageF image{read_header(), {}};
        auto width = static_cast<std::size_t>(image.extent.width);
        image.rgb.reserve(width * static_cast<std::size_t>(image.extent.height));
        std::vector<std::uint8_t> line(4 * width);  // four planes, or pixels if flat
        for (int y = 0; y < image.extent.height; ++y) {
            bool runs = is_run_length_encoded(width);
            if (runs)
                read_runs(line, width);
            else
                for (auto& value : line) value = next();
            for (std::size_t x = 0; x < width; ++x) {
                auto part = [&](std::size_t k) { return line[runs ? k * width + x : 4 * x + k]; };
                image.rgb.push_back(radiance(part(0), part(1), part(2), part(3)));
            }
        }
        return image;
    }

  private:
    Extent read_header() {
        auto first = text_line();
        if (first != "#?RADIANCE" && first != "#?RGBE") fail("the file is no Radiance HDR image");
        while (true) {
            auto line = text_line();
            if (line.empty()) break;
            if (line.starts_with("FORMAT=") && line != "FORMAT=32-bit_rle_rgbe")
                fail("the format '" + one_line(line.substr(7), 40) +
                     "' is not read; known: 32-bit_rle_rgbe");
        }
        auto layout = text_line();
        std::int64_t height = 0, width = 0;
        auto take = [&](std::string_view sign, std::int64_t& value) {
            if (!layout.starts_with(sign)) fail("the layout is not '-Y height +X width'");
            layout.remove_prefix(sign.size());
            auto [end, status] =
                std::from_chars(layout.data(), layout.data() + layout.size(), value);
            if (status != std::errc{} || value <= 0 || value > kMostPixels)
                fail("the image has a size that is not read");
            layout.remove_prefix(static_cast<std::size_t>(end - layout.data()));
        };
        take("-Y ", height);
        take(" +X ", width);
        // Lines of some widths may be runs: in each of four planes, 127 equal values take two
        // bytes.
        std::int64_t line = 4 * width;
        if (can_have_runs(static_cast<std::size_t>(width)))
            line = std::min(line, 4 + 8 * ((width + 126) / 127));
        if (width > kMostPixels / height ||
            line * height > static_cast<std::int64_t>(bytes_.size() - at_))
            fail("the image is larger than its bytes can hold; it is cut off");
        Extent extent{static_cast<int>(width), static_cast<int>(height)};
        require_image_memory(path_, extent, sizeof(vec3));
        return extent;
    }

    static bool can_have_runs(std::size_t width) { return width >= 8 && width <= 0x7fff; }

    /// Whether the line is encoded in runs: then it starts with 2, 2 and its width.
    bool is_run_length_encoded(std::size_t width) {
        if (!can_have_runs(width) || bytes_.size() - at_ < 4) return false;
        auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes_[at_ + i]); };
        if (byte(0) != 2 || byte(1) != 2 || byte(2) >= 128) return false;
        if (std::size_t{byte(2)} * 256 + byte(3) != width) fail("a line has another width");
        at_ += 4;
        return true;
    }

    void read_runs(std::vector<std::uint8_t>& line, std::size_t width) {
        for (std::size_t plane = 0; plane < 4; ++plane)
            for (std::size_t x = 0; x < width;) {
                std::size_t count = next();
                bool repeats = count > 128;
                if (repeats) count -= 128;
                if (count == 0 || count > width - x) fail("a run does not fit its line");
                auto* out = &line[plane * width + x];
                if (repeats)
                    std::fill_n(out, count, next());
                else
                    for (std::size_t i = 0; i < count; ++i) out[i] = next();
                x += count;
            }
    }

    static vec3 radiance(std::uint8_t r, std::uint8_t g, std::uint8_t b, std::uint8_t exponent) {
        if (exponent == 0) return vec3(0);
        return vec3(r, g, b) * std::ldexp(1.0f, exponent - (128 + 8));
    }

    std::string_view text_line() {
        auto end = bytes_.find('\n', at_);
        if (end == std::string_view::npos) fail("the header is cut off");
        auto line = trimmed(bytes_.substr(at_, end - at_));
        at_ = end + 1;
        return line;
    }
    std::uint8_t next() {
        if (at_ >= bytes_.size()) fail("the file ends before its image does");
        return static_cast<std::uint8_t>(bytes_[at_++]);
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(path_ + ": byte " + std::to_string(at_) + ": " + escaped(what));
    }

    const std::string& path_;
    std::string_view bytes_;
    std::size_t at_ = 0;
};

void append(void* text, void* data, int size) {
    static_cast<std::string*>(text)->append(static_cast<char*>(data),
                                            static_cast<std::size_t>(size));
}

}  // namespace

std::string encode_hdr(const std::string& path, const ImageF& image) {
    constexpr float kBrightest = 1e38f;  // the exponent's range ends at 1.7e38
    std::vector<float> values;
    values.reserve(image.rgb.size() * 3);
    for (auto& pixel : image.rgb)
        for (int k = 0; k < 3; ++k)
            values.push_back(pixel[k] > 0 ? std::min(pixel[k], kBrightest) : 0.0f);
    std::string bytes;
    if (!stbi_write_hdr_to_func(&append, &bytes, image.extent.width, image.extent.height, 3,
                                values.data()))
        throw UserError(path + ": the image could not be encoded as Radiance HDR");
    return bytes;
}

ImageF decode_hdr(const std::string& path, const std::string& bytes) {
    return HdrDecoder(path, bytes).decode();
}

}  // namespace tl
