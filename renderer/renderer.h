// A rendering backend fills a film, one sample a pixel and frame, from a live scene and its tree.
// To add one: a folder and a row in the table of renderers.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "accel/parallel/settings.h"
#include "renderer/false_color/false_color.h"
#include "renderer/frame_context.h"

namespace tl {

class PixelTreeSource;
class RayRecorder;

/// What a renderer has counted in its newest frame: "primary pairs".
struct FrameCount {
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t n_rays = 0;  ///< that came to it together, where the mean says more; else 0
};

/// What a renderer is at.
struct RendererStatus {
    enum class Phase {
        preparing,  ///< what its pictures need is not yet there
        sampling,   ///< the next frame adds a sample
        done,       ///< further samples would change nothing
    };
    Phase phase = Phase::sampling;
    float progress = 0;  ///< of preparing, 0 to 1
    std::string what{};  ///< is prepared: "photons"
};

class Renderer {
  public:
    virtual ~Renderer() = default;

    /// Called before every render(), and instead of it while status() says preparing: does a slice
    /// of what the frame's picture needs, where the versions say that it is missing. A slice takes
    /// about as long as a frame; in between, the old picture is shown. May wait and allocate.
    virtual void prepare(const FrameContext&) {}

    /// What the newest prepare() came to.
    [[nodiscard]] virtual RendererStatus status() const { return {}; }

    /// Adds one sample to every pixel of the film (replaces them where frame.sample is 0), without
    /// waiting. Stages are timed under their names.
    virtual void render(const FrameContext& context) = 0;

    /// What can be chosen, bound to this renderer's Config.
    [[nodiscard]] virtual Settings settings() { return {}; }

    /// What was counted in the newest frame; waits for the stream.
    [[nodiscard]] virtual std::vector<FrameCount> counts(Stream&) { return {}; }

    /// What the colours of the film stand for, where they are no radiance; such a film is shown
    /// without tone mapping. Null for renderers that make pictures.
    [[nodiscard]] virtual FalseColor* false_color() { return nullptr; }

    /// Shows the tree of a pixel's rays; null for renderers that have none.
    [[nodiscard]] virtual PixelTreeSource* pixel_trees() { return nullptr; }

    /// Records the rays of a frame; null for renderers that cannot.
    [[nodiscard]] virtual RayRecorder* ray_recorder() { return nullptr; }
};

/// What a renderer's film holds, as it is first made.
enum class RendererOutput {
    picture,      ///< radiance, which even light and kept pictures can check
    false_color,  ///< colours that stand for numbers
};

/// A row of the table of renderers; make_cuda is null where the build has no CUDA.
struct RendererRow {
    std::string id;     ///< for flags and files: "whitted"
    std::string title;  ///< for people
    std::string help;   ///< one sentence with the source
    RendererOutput output;
    std::unique_ptr<Renderer> (*make_cpu)();
    std::unique_ptr<Renderer> (*make_cuda)();
};

[[nodiscard]] const std::vector<RendererRow>& renderers();
/// The renderer `id` for a device. Throws UsageError listing the known ids.
[[nodiscard]] std::unique_ptr<Renderer> make_renderer(const std::string& id, const Device& device);

}  // namespace tl
