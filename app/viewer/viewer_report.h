// What a run of the viewer leaves behind when it ends.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Writes the film and the times that the options ask for, and prints the reports of the panel's
/// sections. Throws UserError.
void write_results(ViewerModel& model, std::uint64_t frames, std::uint64_t shown_frames);
/// Writes the context's whole framebuffer, interface and all, as PNG; before it is swapped.
void save_window(const GlContext& context, const std::string& path);

}  // namespace tl
