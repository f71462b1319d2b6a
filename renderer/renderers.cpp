#include <algorithm>

#include "core/device/registry.h"
#include "renderer/aov/aov_config.h"
#include "renderer/bezier/bezier_config.h"
#include "renderer/heat_map/heat_map_config.h"
#include "renderer/path/tracer/path_config.h"
#include "renderer/photon/photon_config.h"
#include "renderer/points/points_config.h"
#include "renderer/radiosity/radiosity_config.h"
#include "renderer/renderer.h"
#include "renderer/unshown_content.h"
#include "renderer/whitted/whitted_config.h"

// The renderers, each made in its own folder.
// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<Renderer> make_whitted_renderer();
    std::unique_ptr<Renderer> make_path_renderer();
    std::unique_ptr<Renderer> make_photon_renderer();
    std::unique_ptr<Renderer> make_heat_map_renderer();
    std::unique_ptr<Renderer> make_aov_renderer();
    std::unique_ptr<Renderer> make_bezier_renderer();
    std::unique_ptr<Renderer> make_points_renderer();
    class CausticLight;
    std::unique_ptr<CausticLight> make_caustic_photons();
    std::unique_ptr<Renderer> make_radiosity_renderer(std::unique_ptr<CausticLight> (*)());
)
// clang-format on

namespace tl {

const std::vector<RendererRow>& renderers() {
    static const std::vector<RendererRow> table{
        {"whitted", "Whitted ray tracer",
         "Direct light, shadows, mirror reflection and refraction (Whitted 1980)",
         RendererOutput::picture, &WhittedConfig::declared_settings(), &cpu::make_whitted_renderer,
         TL_CUDA_ONLY(&cuda::make_whitted_renderer)},
        {"path", "Path tracer", "All light by any number of bounces, the reference (Kajiya 1986)",
         RendererOutput::picture, &PathConfig::declared_settings(), &cpu::make_path_renderer,
         TL_CUDA_ONLY(&cuda::make_path_renderer)},
        {"photon", "Photon mapper",
         "All light, caustics included, from photon density estimates of shrinking radius "
         "(Jensen 1996; Knaus and Zwicker 2011)",
         RendererOutput::picture, &PhotonConfig::declared_settings(), &cpu::make_photon_renderer,
         TL_CUDA_ONLY(&cuda::make_photon_renderer)},
        {"heat-map", "Heat map of the tree",
         "Nodes that camera rays visit and primitives that they test, in false colours",
         RendererOutput::false_color, &HeatMapConfig::declared_settings(),
         &cpu::make_heat_map_renderer, TL_CUDA_ONLY(&cuda::make_heat_map_renderer)},
        {"aov", "Auxiliary pictures",
         "Depth, normals, albedo, numbers and more of camera rays' hits, in false colours",
         RendererOutput::false_color, &AovConfig::declared_settings(), &cpu::make_aov_renderer,
         TL_CUDA_ONLY(&cuda::make_aov_renderer)},
        {"bezier", "Bezier patches",
         "Patches by the certified test, Kajiya's resultant, Newton's method or Bezier clipping, "
         "stage by stage (Lahabar 2010)",
         RendererOutput::picture, &BezierConfig::declared_settings(), &cpu::make_bezier_renderer,
         TL_CUDA_ONLY(&cuda::make_bezier_renderer)},
        {"radiosity", "Radiosity at points",
         "Radiosity between points by links with visibility, specular and direct light by rays "
         "(Goradia 2008)",
         RendererOutput::picture, &RadiosityConfig::declared_settings(),
         [] { return cpu::make_radiosity_renderer(&cpu::make_caustic_photons); },
         TL_CUDA_ONLY([] { return cuda::make_radiosity_renderer(&cuda::make_caustic_photons); })},
        {"points", "Points",
         "Hundreds of millions of points as they are, drawn without rays and shaded by their "
         "distances (Schuetz, Kerbl and Wimmer 2022)",
         RendererOutput::false_color, &PointsConfig::declared_settings(),
         &cpu::make_points_renderer, TL_CUDA_ONLY(&cuda::make_points_renderer)},
    };
    return table;
}

bool leaves_out(const std::string& renderer, SceneContent content) {
    using enum SceneContent;
    struct Row {
        const char* renderer;
        std::vector<SceneContent> contents;
    };
    static const std::vector<Row> table{
        {"whitted", {gaussians}},
        {"heat-map", {gaussians}},
        {"aov", {gaussians}},
        {"bezier", {gaussians}},
        {"points", {instances, patches, gaussians}},
    };
    return std::ranges::any_of(table, [&](const Row& row) {
        return row.renderer == renderer &&
               std::ranges::find(row.contents, content) != row.contents.end();
    });
}

std::unique_ptr<Renderer> make_renderer(const std::string& id, const Device& device) {
    return make_from_row(renderers(), id, device, "renderer");
}

}  // namespace tl
