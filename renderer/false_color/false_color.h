// Interface of renderers that show numbers as colours. Their film holds display colours, which must
// not be tone-mapped.
#pragma once

#include <string>
#include <vector>

#include "core/base/math.h"
#include "core/device/device.h"

namespace tl {

/// A colour, linear sRGB as in the film, and its meaning.
struct NamedColor {
    vec3 color;
    std::string name;
};

/// The scale of the newest frame's colours.
struct FalseColorScale {
    std::string title;  ///< quantity shown: "node visits"
    float top = 0;      ///< value of the last colour, and of all larger values
    float minimum = 0, mean = 0, maximum = 0;  ///< over all pixels that have a value
    float bottom = 0;                          ///< value of the first colour
    // Meaning of colours that are not a ramp: in words, or one by one.
    std::string key{};
    std::vector<NamedColor> colors{};

    [[nodiscard]] bool is_ramp() const { return key.empty() && colors.empty(); }
};

class FalseColor {
  public:
    virtual ~FalseColor() = default;
    /// Scale of the newest frame; zeros before the first. All functions wait for the stream.
    [[nodiscard]] virtual FalseColorScale scale(Stream& stream) = 0;
    /// Value behind the colour of a pixel; row 0 is the top. 0 before the first frame and outside
    /// the picture.
    [[nodiscard]] virtual float value(Stream& stream, int x, int y) = 0;
    /// Value in words if it is not a single number: "(0, 1, 0)"; else "".
    [[nodiscard]] virtual std::string text(Stream&, int, int) { return ""; }
    /// Makes later frames use the scale of `other`'s newest picture, if that is of the same kind
    /// and on the same stream; null: a scale of its own. `other` must outlive the next frame.
    virtual void share_scale(const FalseColor* other) = 0;
};

}  // namespace tl
