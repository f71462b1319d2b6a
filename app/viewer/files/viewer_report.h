// Output of the viewer: film, times and reports when it ends, pictures of its window.
#pragma once

#include <cstdint>
#include <string>

namespace tl {

class GlContext;
struct ViewerModel;

/// Writes the film and the times to the files in the options, and prints the reports of the panel's
/// sections. Throws UserError.
void write_results(ViewerModel& model, std::uint64_t frames, std::uint64_t shown_frames);
/// Writes the context's whole framebuffer, interface included, as PNG. Call before it is swapped.
void save_window(const GlContext& context, const std::string& path);

}  // namespace tl
