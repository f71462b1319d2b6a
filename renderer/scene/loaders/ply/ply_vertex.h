// The numbers of a PLY's vertex, and which properties they come from.
#pragma once

#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/math.h"
#include "renderer/scene/loaders/ply/ply_header.h"

namespace tl {

struct PlyVertex {
    /// Indices of the numbers in `value`. Those from kSplatColor on are of 3D Gaussian splatting
    /// (Kerbl et al. 2023), as its programs write them.
    enum Layout {
        kX = 0,
        kNormal = 3,
        kUv = 6,
        kColor = 8,
        kRadius = 11,
        kArea = 12,
        kSplatColor = 13,  ///< f_dc_0 to 2
        kOpacity = 16,     ///< before the logistic function
        kScale = 17,       ///< natural logarithms
        kRotation = 20,    ///< w, x, y and z of a quaternion of any length
        kIntensity = 24,
        kEmission = 25,
        kGreyEmission = 28,  ///< of all three channels
        kRadiosity = 29,
        kValues = 32,
    };
    double value[kValues] = {};
    std::uint32_t packed_color = 0;

    /// The index of a property in `value`, by its name in any case; -1: not used.
    [[nodiscard]] static int value_of(std::string_view name);

    [[nodiscard]] glm::dvec3 place() const { return {value[kX], value[kX + 1], value[kX + 2]}; }
    [[nodiscard]] vec3 triple(int first) const {
        return {value[first], value[first + 1], value[first + 2]};
    }
    [[nodiscard]] bool has_place() const {
        return std::isfinite(value[kX]) && std::isfinite(value[kX + 1]) &&
               std::isfinite(value[kX + 2]);
    }
};

/// Divisor that maps integers of a type to [0, 1]. It is 1 for floats, and for integers of 32 bits,
/// which programs use for [0, 255].
[[nodiscard]] double full_scale_of_color(PlyType type);

/// Whether the rows of an element have colours in three numbers.
[[nodiscard]] bool has_ply_colors(const PlyElement& element);

/// Targets of the properties of a vertex.
class PlyVertexLayout {
  public:
    /// The target of a property that has a colour in its bits, which is no index of a value.
    static constexpr int kPackedColor = PlyVertex::kValues;

    explicit PlyVertexLayout(const PlyElement& element);

    /// Index in PlyVertex::value of a property; kPackedColor; or -1 for one that is skipped.
    [[nodiscard]] int target(std::size_t property) const { return parts_[property].target; }
    /// Divisor of a property's numbers.
    [[nodiscard]] double scale(std::size_t property) const { return parts_[property].scale; }
    /// Whether the file gives `n` values from `first` on.
    [[nodiscard]] bool has(int first, int n = 1) const;
    [[nodiscard]] bool has_colors() const { return colors_ || packed_colors_; }
    /// The colour for decode_vertex_colors(), once all have passed widen().
    [[nodiscard]] vec3 color_of(const PlyVertex& vertex) const;
    /// Scales all colours of a file whose integers have 16 bits, but whose numbers none above 255:
    /// they are of 8 bits.
    void widen(std::span<vec3> colors) const;

  private:
    struct Part {
        int target;
        double scale;
    };
    std::vector<Part> parts_;
    bool given_[PlyVertex::kValues] = {};
    bool colors_, packed_colors_ = false, wide_colors_ = false;
    double full_scale_ = 1;  ///< of wide colours
};

}  // namespace tl
