#include "renderer/scene/export/ply_point_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tl {
namespace {

/// Appends a number's bytes, the lowest first.
template <class T>
void append_little(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
}

std::string header_of(std::size_t n, bool is_wide, std::span<const char* const> further) {
    std::string header =
        "ply\nformat binary_little_endian 1.0\ncomment points of Treelight\n"
        "element vertex " +
        std::to_string(n) + "\n";
    auto add = [&](const char* type, std::span<const char* const> names) {
        for (const char* name : names)
            header += std::string("property ") + type + " " + name + "\n";
    };
    add(is_wide ? "double" : "float", std::vector{"x", "y", "z"});
    add("float", std::vector{"nx", "ny", "nz"});
    add("uchar", std::vector{"red", "green", "blue"});
    add("float", std::vector{"area"});
    add("float", further);
    return header + "end_header\n";
}

}  // namespace

PlyPointWriter::PlyPointWriter(const std::string& path, std::size_t n, const glm::dvec3& offset,
                               std::span<const char* const> further)
    : file_(path), offset_(offset), bytes_(header_of(n, offset != glm::dvec3(0), further)) {}

void PlyPointWriter::add(vec3 position, vec3 normal, std::uint32_t srgb, float area,
                         std::span<const float> further) {
    constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
    bool is_wide = offset_ != glm::dvec3(0);
    for (int k = 0; k < 3; ++k) {
        if (is_wide)
            append_little(bytes_, static_cast<double>(position[k]) + offset_[k]);
        else
            append_little(bytes_, position[k]);
    }
    for (int k = 0; k < 3; ++k) append_little(bytes_, normal[k]);
    for (int k = 0; k < 3; ++k) append_little(bytes_, static_cast<std::uint8_t>(srgb >> 8 * k));
    append_little(bytes_, area);
    for (float value : further) append_little(bytes_, value);
    if (bytes_.size() > kBufferBytes) flush();
}

std::size_t PlyPointWriter::finish() {
    flush();
    file_.finish();
    return n_bytes_;
}

void PlyPointWriter::flush() {
    file_.write(bytes_);
    n_bytes_ += bytes_.size();
    bytes_.clear();
}

}  // namespace tl
