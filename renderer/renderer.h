// A rendering backend fills a film, one sample a pixel and frame, from a live scene and its tree.
// To add one: a folder and a row in the table of renderers.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "accel/parallel/settings.h"
#include "accel/parallel/stage_timer.h"
#include "renderer/false_color/false_color.h"
#include "renderer/film/film.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/sampling_config.h"

namespace tl {

/// What changes from frame to frame.
struct Frame {
    Camera camera;
    std::uint32_t sample = 0;  ///< samples that the film holds of this very view; 0 starts anew
    std::uint64_t seed = 0;    ///< same seed, same picture
    float time = 0;            ///< of the scene's motion, seconds
    SamplingConfig sampling{};
};

class PixelTreeSource;
class RayRecorder;

/// What a renderer has counted in its newest frame: "primary pairs".
struct FrameCount {
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t n_rays = 0;  ///< that came to it together, where the mean says more; else 0
};

class Renderer {
  public:
    virtual ~Renderer() = default;

    /// Called once for a scene before its first frame; may wait and allocate.
    virtual void prepare(LiveScene& scene) { (void)scene; }

    /// Adds one sample to every pixel of the film (replaces them where frame.sample is 0), without
    /// waiting; the scene's tree is up to date. Stages are timed under their names.
    virtual void render(const Frame& frame, LiveScene& scene, Film& film, Scratch& scratch,
                        StageTimer& timer) = 0;

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

/// A row of the table of renderers; make_cuda is null where the build has no CUDA.
struct RendererRow {
    std::string id;     ///< for flags and files: "whitted"
    std::string title;  ///< for people
    std::string help;   ///< one sentence with the source
    std::unique_ptr<Renderer> (*make_cpu)();
    std::unique_ptr<Renderer> (*make_cuda)();
};

[[nodiscard]] const std::vector<RendererRow>& renderers();
/// The renderer `id` for a device. Throws UsageError listing the known ids.
[[nodiscard]] std::unique_ptr<Renderer> make_renderer(const std::string& id, const Device& device);

}  // namespace tl
