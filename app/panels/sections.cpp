#include <utility>

#include "app/panels/panels.h"

#include "app/viewer/actions/examples.h"
#include "app/viewer/actions/transport_view.h"
#include "app/viewer/files/file_thumbnails.h"
#include "app/viewer/files/sequence_export.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

bool shows_patches(const ViewerModel& model) {
    return model.session.scene().patch_count() > 0;
}

bool has_points(const ViewerModel& model) {
    return model.view.points.shown || model.status.measured.has_points;
}

}  // namespace

std::vector<PanelSection> panel_sections() {
    std::vector<PanelSection> sections{
        {"scene", "Scene", PanelTab::scene, draw_scene_panel, nullptr, nullptr,
         [] { return std::unique_ptr<SectionState>(std::make_unique<FileThumbnails>()); }},
        {"outliner", "Outliner", PanelTab::scene, draw_outliner_panel},
        {"camera", "Camera", PanelTab::scene, draw_camera_panel},
        {"bookmarks", "Bookmarks", PanelTab::scene, draw_bookmarks_panel},
        {"object", "Object", PanelTab::scene, draw_object_panel},
        {"lights", "Lights", PanelTab::scene, draw_lights_panel},
        {"environment", "Environment", PanelTab::scene, draw_environment_panel},
        {"patches", "Patches", PanelTab::scene, draw_patch_views_panel, shows_patches},
        {"examples", "Examples", PanelTab::scene, draw_examples_panel, nullptr, nullptr,
         [] { return std::unique_ptr<SectionState>(std::make_unique<ExamplesView>()); }},
        {"times", "Times", PanelTab::render, draw_timing_panel},
        {"renderer", "Device and renderer", PanelTab::render, draw_renderer_panel},
        {"points", "Photons", PanelTab::render, draw_points_panel, has_points},
        {"exchange", "Light between points", PanelTab::render, draw_exchange_panel, has_transport,
         transport_commands,
         [] { return std::unique_ptr<SectionState>(std::make_unique<TransportView>()); }},
        {"builder", "Builder", PanelTab::trees, draw_builder_panel},
        {"tree-views", "Views", PanelTab::trees, draw_tree_views_panel},
        {"tree-quality", "Quality", PanelTab::trees, draw_tree_panel},
        {"film", "Film", PanelTab::film, draw_film_panel},
        {"histogram", "Histogram", PanelTab::film, draw_histogram_panel},
        {"sequence", "Sequence", PanelTab::film, draw_sequence_panel, nullptr, sequence_commands,
         [] { return std::unique_ptr<SectionState>(std::make_unique<SequenceExport>()); }},
        {"pixel", "Pixel under the cursor", PanelTab::film, draw_pixel_panel},
        {"pixel-rays", "Rays of a pixel", PanelTab::film, draw_pixel_tree_panel},
        {"compare", "Compare two sides", PanelTab::compare, draw_compare_panel},
    };
    constexpr std::pair<const char*, const char*> kWords[] = {
        {"scene", "file name triangles materials lights memory warnings"},
        {"outliner", "objects parts tree list hide show rename delete duplicate eye visible"},
        {"camera",
         "eye target field of view lens radius aperture focus distance depth of field flying "
         "speed"},
        {"bookmarks", "cameras views keep return name delete"},
        {"object",
         "select material preset color roughness refraction emission transform move turn rotate "
         "scale handles gizmo snapping local axes"},
        {"lights", "lamps color strength radiance position direction"},
        {"environment", "background map file turn intensity up axis"},
        {"patches", "control net uv lines"},
        {"examples", "gallery scenes thumbnails open"},
        {"times", "frame rate fps milliseconds stages rays"},
        {"points", "photon points size flux"},
        {"exchange",
         "radiosity irradiance cells discs links octree group bounces convergence error"},
        {"tree-views", "heat map boxes level leaves compare two trees"},
        {"tree-quality", "statistics depth leaves SAH cost EPO overlap bytes measure"},
        {"film",
         "exposure tone curve max samples stop at progress lower resolution while moving pause"},
        {"sequence", "frames video turntable camera path ffmpeg export"},
        {"histogram", "clipped dark bright infinite NaN luminance"},
        {"pixel", "radiance displayed error samples position normal albedo material distance"},
        {"pixel-rays", "reflection refraction weight shade tree"},
        {"compare", "side A B split difference FLIP PSNR"},
    };
    for (auto& [id, words] : kWords)
        for (auto& section : sections)
            if (section.id == id) section.words = words;
    constexpr std::pair<const char*, std::vector<PanelWidget> (*)()> kWidgets[] = {
        {"camera", camera_widgets},
        {"bookmarks", bookmark_widgets},
        {"object", object_widgets},
        {"lights", light_widgets},
        {"environment", environment_widgets},
        {"patches", patch_view_widgets},
        {"renderer", renderer_widgets},
        {"points", point_widgets},
        {"exchange", exchange_widgets},
        {"builder", builder_widgets},
        {"tree-views", tree_view_widgets},
        {"tree-quality", tree_quality_widgets},
        {"film", film_widgets},
        {"histogram", histogram_widgets},
        {"sequence", sequence_widgets},
        {"compare", compare_widgets},
    };
    for (auto& [id, widgets] : kWidgets)
        for (auto& section : sections)
            if (section.id == id) section.widgets = widgets();
    return sections;
}

}  // namespace tl
