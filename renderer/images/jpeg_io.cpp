#include "renderer/images/jpeg_io.h"

#include <turbojpeg.h>

#include <cstdint>
#include <memory>
#include <new>

#include "core/base/error.h"

namespace tl {
namespace {

/// Parsed header of a JPEG in memory, ready for decoding.
struct Jpeg {
    Jpeg(const std::string& name, std::string_view bytes)
        : name(name),
          data(reinterpret_cast<const unsigned char*>(bytes.data())),
          size(static_cast<unsigned long>(bytes.size())) {
        if (!decoder) throw std::bad_alloc();
        int chroma = 0;
        // A warning returns failure, too, but then a size was found.
        bool whole = tjDecompressHeader3(decoder.get(), data, size, &extent.width, &extent.height,
                                         &chroma, &colors) == 0;
        if (extent.width <= 0 || extent.height <= 0)
            fail(whole ? "it has no header of a picture" : reason());
    }

    void decode(std::uint8_t* pixels, TJPF format) const {
        int status = tjDecompress2(decoder.get(), data, size, pixels, extent.width, 0,
                                   extent.height, format, 0);
        if (status != 0 && tjGetErrorCode(decoder.get()) == TJERR_FATAL) fail(reason());
    }

    [[nodiscard]] bool has_inks() const { return colors == TJCS_CMYK || colors == TJCS_YCCK; }

    Extent extent;

  private:
    [[nodiscard]] std::string reason() const {
        std::string text = tjGetErrorStr2(decoder.get());
        // Strips the function name at the start of the message.
        if (auto end = text.find("): "); end != std::string::npos) text.erase(0, end + 3);
        return text;
    }
    [[noreturn]] void fail(const std::string& why) const {
        throw UserError(name + ": cannot be decoded: " + why);
    }

    const std::string& name;
    const unsigned char* data;
    unsigned long size;
    int colors = -1;
    std::unique_ptr<void, decltype(&tjDestroy)> decoder{tjInitDecompress(), &tjDestroy};
};

}  // namespace

Extent jpeg_extent(const std::string& name, std::string_view bytes) {
    return Jpeg(name, bytes).extent;
}

Image8 decode_jpeg(const std::string& name, std::string_view bytes) {
    Jpeg jpeg(name, bytes);
    Image8 image{jpeg.extent, {}};
    image.rgba.resize(4 * static_cast<std::size_t>(image.extent.pixels()));
    jpeg.decode(image.rgba.data(), jpeg.has_inks() ? TJPF_CMYK : TJPF_RGBA);
    if (!jpeg.has_inks()) return image;
    // Adobe's programs store inverted inks: the remaining brightness of the paper.
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
        int black = image.rgba[i + 3];
        for (std::size_t k = 0; k < 3; ++k)
            image.rgba[i + k] = static_cast<std::uint8_t>((image.rgba[i + k] * black + 127) / 255);
        image.rgba[i + 3] = 255;
    }
    return image;
}

std::string encode_jpeg(const std::string& name, const Image8& image, int quality) {
    constexpr int kLongestSide = 65'500;  // of libjpeg
    auto [width, height] = image.extent;
    if (width > kLongestSide || height > kLongestSide)
        throw UserError(name + ": a JPEG has at most 65,500 pixels a side; write a .png instead");
    std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), &tjDestroy);
    if (!encoder) throw std::bad_alloc();
    unsigned char* memory = nullptr;
    unsigned long size = 0;
    int status = tjCompress2(encoder.get(), image.rgba.data(), width, 0, height, TJPF_RGBX, &memory,
                             &size, TJSAMP_444, quality, 0);
    std::unique_ptr<unsigned char, decltype(&tjFree)> owner(memory, &tjFree);
    if (status != 0)
        throw UserError(name + ": cannot be encoded: " + tjGetErrorStr2(encoder.get()));
    return {reinterpret_cast<const char*>(memory), size};
}

}  // namespace tl
