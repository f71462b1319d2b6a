// A rendering backend adds a sample per pixel and frame to a film, from a live scene and its tree.
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
class PointSource;
class RayRecorder;

/// One counter of a renderer's newest frame, such as "primary pairs".
struct FrameCount {
    std::string name;
    std::uint64_t value = 0;
    std::uint64_t n_rays = 0;  ///< rays that it is divided by for a mean; 0: the mean is of no use
    /// The stage of the frame by whose time it is divided for a rate; "": the rate is of no use.
    std::string stage{};
};

/// One figure of all samples of the picture so far, such as "relative error".
struct PictureFigure {
    std::string name;
    double share = 0;  ///< 1 stands for 100 %
};

/// What a renderer is doing.
struct RendererStatus {
    enum class Phase {
        preparing,  ///< data that its pictures need is not ready
        sampling,   ///< the next frame adds a sample
        done,       ///< further samples would change nothing
    };
    Phase phase = Phase::sampling;
    float progress = 0;  ///< of the preparation, 0 to 1
    std::string what{};  ///< what is being prepared: "photons"
};

class Renderer {
  public:
    virtual ~Renderer() = default;

    /// Called before every render(), and instead of it while status() says preparing. Prepares a
    /// slice of the data that the frame needs, where the versions show it is out of date. A slice
    /// takes about as long as a frame; meanwhile the old picture is shown. May wait and allocate.
    /// A scene that moves has a new version in every frame: data that starts anew for each and
    /// takes several slices is never ready, so that the old picture stays until the scene stops.
    virtual void prepare(const FrameContext&) {}

    /// The state after the newest prepare().
    [[nodiscard]] virtual RendererStatus status() const { return {}; }

    /// Adds one sample to every pixel of the film that is not done (FilmView::is_done) by
    /// FilmView::add, which replaces the film's where frame.sample is 0; false colours replace the
    /// film's in every frame. Writes ray_count for every pixel in every frame: 0 for those that are
    /// done. Without waiting, unless the renderer's page says so. Stages are timed under their
    /// names.
    virtual void render(const FrameContext& context) = 0;

    /// The renderer's settings, bound to its Config.
    [[nodiscard]] virtual Settings settings() { return {}; }

    /// The counters of the newest frame; waits for the stream.
    [[nodiscard]] virtual std::vector<FrameCount> counts(Stream&) { return {}; }

    /// Figures of the picture so far; waits for the stream.
    [[nodiscard]] virtual std::vector<PictureFigure> figures(Stream&) { return {}; }

    /// What the film's colours stand for where they are not radiance; such a film is shown without
    /// tone mapping. Null for renderers that make pictures.
    [[nodiscard]] virtual FalseColor* false_color() { return nullptr; }

    /// The source of pixels' shade trees; null for renderers without them.
    [[nodiscard]] virtual PixelTreeSource* pixel_trees() { return nullptr; }

    /// Points that the renderer has stored in the scene; null for renderers without them.
    [[nodiscard]] virtual PointSource* points() { return nullptr; }

    /// Records the rays of a frame; null for renderers that cannot.
    [[nodiscard]] virtual RayRecorder* ray_recorder() { return nullptr; }
};

/// What a newly made renderer's film holds.
enum class RendererOutput {
    picture,      ///< radiance, which furnace tests and reference pictures can check
    false_color,  ///< colours that stand for numbers
};

/// A row of the table of renderers; make_cuda is null in builds without CUDA.
struct RendererRow {
    std::string id;     ///< for flags and files: "whitted"
    std::string title;  ///< for people
    std::string help;   ///< one sentence with the source
    RendererOutput output;
    const SettingTable* settings;  ///< declared by the renderer's Config
    std::unique_ptr<Renderer> (*make_cpu)();
    std::unique_ptr<Renderer> (*make_cuda)();
};

[[nodiscard]] const std::vector<RendererRow>& renderers();
/// The renderer `id` for a device. Throws UsageError listing the known ids.
[[nodiscard]] std::unique_ptr<Renderer> make_renderer(const std::string& id, const Device& device);

}  // namespace tl
