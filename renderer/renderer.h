// Interface of a rendering backend, which adds a sample per pixel and frame to a film, from a live
// scene and its tree. A new backend is a folder and a row in the table of renderers.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/settings.h"
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
    std::uint64_t n_rays = 0;  ///< rays per which a mean is reported; 0: no mean
    /// Stage of the frame whose time is the divisor of a rate; "": no rate.
    std::string stage{};
    std::uint64_t n_all = 0;  ///< number of which the value is a share; 0: no share
};

/// One figure of all samples of the picture so far, such as "relative error".
struct PictureFigure {
    std::string name;
    double share = 0;  ///< 1 is 100 %
};

class Renderer {
  public:
    virtual ~Renderer() = default;

    /// Called before every render(). Computes the data that the frame needs, where the versions
    /// show that it is stale. May wait and allocate.
    virtual void prepare(const FrameContext&) {}

    /// Whether further samples would change nothing.
    [[nodiscard]] virtual bool is_done() const { return false; }

    /// Whether a pixel's samples depend on those of its neighbours, so that pixels cannot be
    /// divided among devices or processes.
    [[nodiscard]] virtual bool compares_pixels() const { return false; }

    /// Adds one sample to every pixel of the film that is not done (FilmView::is_done) by
    /// FilmView::add, which replaces the film's where frame.sample is 0. False colours replace the
    /// film's in every frame. Writes ray_count for every pixel in every frame: 0 for those that are
    /// done. Returns without waiting, unless the renderer's page says otherwise. Stages are timed
    /// under their names.
    virtual void render(const FrameContext& context) = 0;

    /// The renderer's settings, bound to its Config.
    [[nodiscard]] virtual Settings settings() { return {}; }

    /// The counters of the newest frame; waits for the stream.
    [[nodiscard]] virtual std::vector<FrameCount> counts(Stream&) { return {}; }

    /// Figures of the picture so far; waits for the stream.
    [[nodiscard]] virtual std::vector<PictureFigure> figures(Stream&) { return {}; }

    /// The quantity shown by the film's colours where they are not radiance; such a film is shown
    /// without tone mapping. Null for renderers that make pictures.
    [[nodiscard]] virtual FalseColor* false_color() { return nullptr; }

    /// The source of pixels' shade trees; null for renderers without them.
    [[nodiscard]] virtual PixelTreeSource* pixel_trees() { return nullptr; }

    /// Points that the renderer stores in the scene; null for renderers without them.
    [[nodiscard]] virtual PointSource* points() { return nullptr; }

    /// Records the rays of a frame; null for renderers that cannot.
    [[nodiscard]] virtual RayRecorder* ray_recorder() { return nullptr; }
};

/// Content of a newly made renderer's film.
enum class RendererOutput {
    picture,      ///< radiance, which furnace tests and reference pictures can check
    false_color,  ///< colours that represent numbers
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
