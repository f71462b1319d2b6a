#include "renderer/images/hdr_io.h"

#include <stb_image_write.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"
#include "renderer/images/image_claims.h"

namespace tl {
namespace {

/// Linear sRGB of CIE XYZ (IEC 61966-2-1), not negative: colours beyond its gamut are clipped.
vec3 srgb_of_xyz(vec3 xyz) {
    return max(vec3(dot(vec3(3.2404542f, -1.5371385f, -0.4985314f), xyz),
                    dot(vec3(-0.9692660f, 1.8760108f, 0.0415560f), xyz),
                    dot(vec3(0.0556434f, -0.2040259f, 1.0572252f), xyz)),
               vec3(0));
}

/// One axis of the resolution string: "-Y 480".
struct HdrAxis {
    bool is_x = false, grows = false;  ///< X grows to the right, Y upwards
    std::int64_t size = 0;
};

/// Parses and removes the axis at the start of `text`.
std::optional<HdrAxis> take_axis(std::string_view& text) {
    text = trimmed(text);
    if (text.size() < 4 || (text[0] != '+' && text[0] != '-') || (text[1] != 'X' && text[1] != 'Y'))
        return {};
    HdrAxis axis{text[1] == 'X', text[0] == '+'};
    text = trimmed(text.substr(2));
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), axis.size);
    if (status != std::errc{} || axis.size <= 0 || axis.size > kMostPixels) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return axis;
}

class HdrDecoder {
  public:
    HdrDecoder(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

    ImageF decode() {
        read_header();
        auto width = static_cast<std::size_t>(along_.size);
        auto n_pixels = width * static_cast<std::size_t>(across_.size);
        // Limit of the reservation: old run lengths encode millions of pixels in some bytes, and
        // damaged files may only claim to.
        pixels_.reserve(std::min(n_pixels, 16 * (bytes_.size() - at_)));
        std::vector<std::uint8_t> planes(has_planes(width) ? 4 * width : 0);
        while (pixels_.size() < n_pixels)
            if (starts_planes(width))
                read_planes(planes, width);
            else
                read_pixels(width);
        return upright();
    }

  private:
    void read_header() {
        bool is_radiance = bytes_.starts_with("#?") ||
                           bytes_.substr(0, 4096).find("FORMAT=32-bit_rle_") != bytes_.npos;
        if (!is_radiance) fail("the file is no Radiance HDR image");
        for (bool is_after_blank = false, is_layout = false; !is_layout; at_ = next_line_) {
            auto line = text_line();
            bool is_variable = line.find('=') != line.npos || line.starts_with('#');
            is_layout = is_after_blank && !is_variable && !line.empty();
            is_after_blank |= line.empty();
            if (is_layout)
                read_layout(line);
            else
                read_variable(line);
        }
        factor_ = vec3(1.0 / exposure_);
        for (int c = 0; c < 3; ++c)
            if (!std::isnormal(factor_[c])) fail("the exposures of the header are beyond a float");
        check_size();
    }

    /// Lines with a space before them are copies of the headers of other pictures.
    void read_variable(std::string_view line) {
        auto value_of = [&](std::string_view name) -> std::optional<std::string_view> {
            if (!line.starts_with(name)) return {};
            return line.substr(name.size());
        };
        if (auto format = value_of("FORMAT=")) {
            is_xyz_ = trimmed(*format) == "32-bit_rle_xyze";
            if (!is_xyz_ && trimmed(*format) != "32-bit_rle_rgbe")
                fail("the format '" + one_line(trimmed(*format), 40) +
                     "' is not read; known: 32-bit_rle_rgbe, 32-bit_rle_xyze");
        }
        if (auto exposure = value_of("EXPOSURE=")) exposure_ *= take_number(*exposure);
        if (auto correction = value_of("COLORCORR="))
            for (int c = 0; c < 3; ++c) exposure_[c] *= take_number(*correction);
    }

    double take_number(std::string_view& text) const {
        text = trimmed(text);
        if (text.starts_with('+')) text.remove_prefix(1);
        double value = 0;
        auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (status != std::errc{} || !(value > 0) || !std::isfinite(value))
            fail("an EXPOSURE or COLORCORR of the header is no positive number");
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return value;
    }

    void read_layout(std::string_view line) {
        auto across = take_axis(line), along = take_axis(line);
        if (!across || !along || across->is_x == along->is_x)
            fail(
                "the layout is not '-Y height +X width', or the same with other signs or with X "
                "first");
        across_ = *across;
        along_ = *along;
    }

    void check_size() const {
        // A line takes at least four bytes, and four for each byte of the number of repetitions.
        std::int64_t line = 4;
        for (auto repeated = along_.size - 1; repeated > 0; repeated >>= 8) line += 4;
        if (along_.size > kMostPixels / across_.size ||
            line * across_.size > static_cast<std::int64_t>(bytes_.size() - at_))
            fail("the image is larger than its bytes can hold; it is cut off");
        require_image_memory(path_, extent(), (is_upright() ? 1 : 2) * sizeof(vec3));
    }

    static bool has_planes(std::size_t width) { return width >= 8 && width <= 0x7fff; }

    /// Whether the line is run-length encoded by planes: it then starts with 2, 2 and its width.
    bool starts_planes(std::size_t width) {
        if (!has_planes(width) || bytes_.size() - at_ < 4) return false;
        auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes_[at_ + i]); };
        if (byte(0) != 2 || byte(1) != 2 || byte(2) >= 128) return false;
        if (std::size_t{byte(2)} * 256 + byte(3) != width) fail("a line has another width");
        at_ += 4;
        return true;
    }

    void read_planes(std::vector<std::uint8_t>& planes, std::size_t width) {
        for (std::size_t plane = 0; plane < 4; ++plane)
            for (std::size_t x = 0; x < width;) {
                std::size_t count = next();
                bool repeats = count > 128;
                if (repeats) count -= 128;
                if (count == 0 || count > width - x) fail("a run does not fit its line");
                auto* out = &planes[plane * width + x];
                if (repeats)
                    std::fill_n(out, count, next());
                else
                    for (std::size_t i = 0; i < count; ++i) out[i] = next();
                x += count;
            }
        auto* p = planes.data();
        for (std::size_t x = 0; x < width; ++x, ++p)
            pixels_.push_back(radiance(p[0], p[width], p[2 * width], p[3 * width]));
    }

    /// Reads a line of pixels. One of (1, 1, 1, n) repeats the previous pixel n times; consecutive
    /// ones hold the higher bytes of n.
    void read_pixels(std::size_t width) {
        int shift = 0;
        for (std::size_t x = 0; x < width;) {
            std::uint8_t r = next(), g = next(), b = next(), exponent = next();
            if (r != 1 || g != 1 || b != 1) {
                pixels_.push_back(radiance(r, g, b, exponent));
                shift = 0;
                ++x;
                continue;
            }
            std::size_t count = std::size_t{exponent} << shift;
            if (x == 0 || shift > 24 || count > width - x) fail("a run does not fit its line");
            pixels_.insert(pixels_.end(), count, vec3(pixels_.back()));
            shift += 8;
            x += count;
        }
    }

    [[nodiscard]] vec3 radiance(std::uint8_t r, std::uint8_t g, std::uint8_t b,
                                std::uint8_t exponent) const {
        if (exponent == 0) return vec3(0);
        vec3 value = vec3(r, g, b) * std::ldexp(1.0f, exponent - (128 + 8)) * factor_;
        // XYZE stores Y in lm/(sr m^2); radiance is in W/(sr m^2).
        constexpr float kLumensPerWatt = 179;
        return is_xyz_ ? srgb_of_xyz(value / kLumensPerWatt) : value;
    }

    [[nodiscard]] bool is_upright() const { return along_.is_x && along_.grows && !across_.grows; }
    [[nodiscard]] Extent extent() const {
        auto along = static_cast<int>(along_.size), across = static_cast<int>(across_.size);
        return along_.is_x ? Extent{along, across} : Extent{across, along};
    }

    /// The picture with row 0 at the top and column 0 on the left.
    ImageF upright() {
        ImageF image{extent(), {}};
        if (is_upright()) {
            image.rgb = std::move(pixels_);
            return image;
        }
        image.rgb.resize(pixels_.size());
        auto width = std::int64_t{image.extent.width};
        for (std::int64_t line = 0, i = 0; line < across_.size; ++line)
            for (std::int64_t at = 0; at < along_.size; ++at, ++i) {
                auto x = along_.is_x ? at : line, y = along_.is_x ? line : at;
                const HdrAxis &x_axis = along_.is_x ? along_ : across_,
                              &y_axis = along_.is_x ? across_ : along_;
                if (!x_axis.grows) x = x_axis.size - 1 - x;
                if (y_axis.grows) y = y_axis.size - 1 - y;
                image.rgb[static_cast<std::size_t>(y * width + x)] =
                    pixels_[static_cast<std::size_t>(i)];
            }
        return image;
    }

    /// Returns the line at the current byte, with either kind of line end, without trailing spaces.
    std::string_view text_line() {
        auto end = bytes_.find('\n', at_);
        if (end == std::string_view::npos) fail("the header is cut off");
        auto line = bytes_.substr(at_, end - at_);
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        next_line_ = end + 1;
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
    std::size_t next_line_ = 0;  // index after a line of the header
    bool is_xyz_ = false;
    glm::dvec3 exposure_{1};    // factors already applied to the values
    vec3 factor_{1};            // factor of all values
    HdrAxis across_, along_;    // axis of the lines, and axis of the pixels in a line
    std::vector<vec3> pixels_;  // in the file's order
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
