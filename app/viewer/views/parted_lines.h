// Lines of which parts lie behind something: what is in sight bright, the rest faint.
#pragma once

#include "app/viewer/gl/line_renderer.h"

namespace tl {

/// A line in n_parts parts, of which part s is hidden where bit s is set; neighbouring parts that
/// look the same become one line. `bgr`: 0x00bbggrr. `hidden_too`: also what is hidden.
void add_parted_line(std::vector<LineVertex>& lines, vec3 from, vec3 to, std::uint32_t n_parts,
                     std::uint32_t hidden, std::uint32_t bgr, bool hidden_too);

}  // namespace tl
