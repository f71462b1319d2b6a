// What a renderer that shows numbers as colours has to say about its picture. Its film holds
// colours for the display, which no tone mapping may change.
#pragma once

#include <string>
#include <vector>

#include "accel/parallel/device.h"
#include "accel/parallel/math.h"

namespace tl {

/// A colour, linear sRGB as in the film, and what it stands for.
struct NamedColor {
    vec3 color;
    std::string name;
};

/// Of the newest frame.
struct FalseColorScale {
    std::string title;                         ///< what is shown: "node visits"
    float top = 0;                             ///< value of the last colour, and of all above it
    float minimum = 0, mean = 0, maximum = 0;  ///< over all pixels that have a value
    float bottom = 0;                          ///< value of the first colour
    // What colours mean that are no ramp, and have no figures: in words, or one by one.
    std::string key{};
    std::vector<NamedColor> colors{};

    [[nodiscard]] bool is_ramp() const { return key.empty() && colors.empty(); }
};

class FalseColor {
  public:
    virtual ~FalseColor() = default;
    /// All wait for the stream. Zeros before the first frame and outside of the picture.
    [[nodiscard]] virtual FalseColorScale scale(Stream& stream) = 0;
    /// The value behind the colour of a pixel; row 0 is the top.
    [[nodiscard]] virtual float value(Stream& stream, int x, int y) = 0;
    /// The same in words, where one number does not say it: "(0, 1, 0)"; "" where it does.
    [[nodiscard]] virtual std::string text(Stream&, int, int) { return ""; }
    /// From now on the colours mean what they mean in the other's newest picture, where it is of
    /// the same kind, on the same stream; null for a scale of one's own. It must outlive the next
    /// frame.
    virtual void share_scale(const FalseColor* other) = 0;
};

}  // namespace tl
