// Partly occluded lines: visible parts bright, occluded parts faint.
#pragma once

#include "app/viewer/gl/line_renderer.h"

namespace tl {

/// Adds a line of n_parts parts; part s is occluded if bit s of `hidden` is set. Neighbouring parts
/// of one colour become one line. `bgr`: 0x00bbggrr. `hidden_too`: also adds occluded parts.
void add_parted_line(std::vector<LineVertex>& lines, vec3 from, vec3 to, std::uint32_t n_parts,
                     std::uint32_t hidden, std::uint32_t bgr, bool hidden_too);

}  // namespace tl
