// Binary STL: a header of 80 bytes, the count of triangles, and 50 bytes for each of them.
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/stl/stl_solid.h"

namespace tl {
namespace {

constexpr std::size_t kCorners = 12, kAttribute = 48;  // within a triangle

template <class T>
T value_at(std::string_view bytes, std::size_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
}

/// Colours in the two bytes after a triangle. VisCAM and SolidView set the highest bit of those
/// that are colours; Materialise Magics sets it where the colour in the header holds, and has red
/// and blue the other way round.
class StlColors {
  public:
    explicit StlColors(std::string_view bytes) {
        constexpr std::string_view kKey = "COLOR=";
        std::size_t key = bytes.substr(0, kStlHeader - 4).find(kKey);
        if (key == std::string_view::npos) return;
        std::uint32_t packed = 0;
        for (std::size_t k = 0; k < 3; ++k)
            packed = packed << 8 | value_at<std::uint8_t>(bytes, key + kKey.size() + k);
        of_all_ = packed;
        // Magics marks those without a colour; others write 0 throughout.
        for (std::size_t at = kStlStart; at + kStlTriangle <= bytes.size() && !has_own_;
             at += kStlTriangle)
            has_own_ = value_at<std::uint16_t>(bytes, at + kAttribute) != 0;
    }

    [[nodiscard]] std::optional<std::uint32_t> of(std::uint16_t attribute) const {
        bool is_marked = attribute >> 15 != 0;
        if (of_all_ ? is_marked || !has_own_ : !is_marked) return of_all_;
        std::uint32_t low = part(attribute), middle = part(attribute >> 5),
                      high = part(attribute >> 10);
        return of_all_ ? low << 16 | middle << 8 | high : high << 16 | middle << 8 | low;
    }

  private:
    /// 5 bits as 8.
    static std::uint32_t part(int bits) {
        return static_cast<std::uint32_t>(std::lround((bits & 31) * 255 / 31.0));
    }

    std::optional<std::uint32_t> of_all_{};
    bool has_own_ = false;
};

/// The count of triangles, with a warning where it is not what the file has.
std::size_t stl_triangle_count(std::string_view bytes, const std::string& path, StlFile& file) {
    auto claimed = value_at<std::uint32_t>(bytes, kStlHeader);
    std::size_t room = (bytes.size() - kStlStart) / kStlTriangle, count = claimed;
    // Programs that write as they go leave the count for later, and may not come to it.
    bool is_unknown = (claimed == 0 && room > 0) || claimed == UINT32_MAX;
    if (is_unknown) {
        count = room;
        file.warnings.push_back("its header has no count of triangles; by its length it has " +
                                std::to_string(room));
    }
    if (count > room)
        throw UserError(path + ": byte " + std::to_string(kStlHeader) + ": its header promises " +
                        std::to_string(count) + " triangles, but the file has room for " +
                        std::to_string(room) + "; it is cut off, or no STL");
    if (count > std::size_t{kMostTriangles})
        throw UserError(path + ": more than 1,000,000,000 triangles");
    if (std::size_t rest = bytes.size() - kStlStart - count * kStlTriangle; rest > 0)
        file.warnings.push_back("has " + std::to_string(rest) +
                                " bytes after its last triangle, which are not read");
    return count;
}

}  // namespace

StlFile read_stl_bytes(std::string_view bytes, const std::string& path,
                       const ReadProgress& progress) {
    if (bytes.size() < kStlStart)
        throw UserError(path + ": is no STL, or cut off: it does not begin with 'solid', and has " +
                        std::to_string(bytes.size()) + " of the 84 bytes before triangles");
    StlFile file;
    std::size_t count = stl_triangle_count(bytes, path, file);
    StlColors colors(bytes);
    StlSolid solid("");
    WorkLoop loop(progress, "parsing", count);
    for (std::size_t i = 0; i < count; ++i) {
        loop.at(i);
        std::size_t place = kStlStart + i * kStlTriangle;
        glm::dvec3 corners[3];
        for (int k = 0; k < 9; ++k) {
            std::size_t at = place + kCorners + sizeof(float) * static_cast<std::size_t>(k);
            double value = double{value_at<float>(bytes, at)};
            if (!(std::abs(value) <= kLargestCoordinate))
                throw UserError(path + ": byte " + std::to_string(at) + ": " + "xyz"[k % 3] +
                                " of a vertex of triangle " + std::to_string(i) + " is " +
                                (std::isfinite(value) ? "beyond 1e15" : "not finite"));
            corners[k / 3][k % 3] = value;
        }
        solid.add(corners, colors.of(value_at<std::uint16_t>(bytes, place + kAttribute)));
    }
    loop.end();
    if (count > 0) file.solids.push_back(std::move(solid));
    return file;
}

}  // namespace tl
