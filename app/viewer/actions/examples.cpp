#include "app/viewer/actions/examples.h"

#include <algorithm>

#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/viewer_model.h"
#include "core/base/error.h"
#include "renderer/scene/loaders/data_files.h"

namespace tl {
namespace {

constexpr Example kGalleryExamples[] = {
    {"interior", "Interior in the afternoon sun",
     "Path tracing: sunlight that reaches all of a room by reflection."},
    {"glass", "Glass still life", "Photon mapping: caustics of glass and gold; play it (P)."},
    {"pool", "Pool", "Photon mapping: a net of light on the tiles, seen through the waves."},
    {"forest", "Forest", "Two million triangles of grass, glass and water; a fairy flies (P)."},
    {"lanterns", "Town at night", "A tree of lights chooses among 800,000 glowing triangles."},
    {"teapots", "Teapots of exact patches",
     "Bezier patches without triangles; N shows their control nets."},
    {"dragon-points", "Dragon of points",
     "Radiosity between points by the fast multipole method; O, J and Ctrl+J show how."},
    {"gaussians", "Gaussians in a mirror", "A tree in blossom of 300,000 Gaussians."},
    {"scan", "Cloud from a scanner",
     "The Stanford bunny as points; tools/fetch-models fetches it once."},
    {"water", "Water in motion", "Shallow water; play it (P), and click for another drop."},
    {"form-factors", "Form factors of a room",
     "Radiosity; V decomposes the form factors in the tab Solvers."},
    {"two-cameras", "Two cameras and their pose",
     "Two bookmarks; M finds how the camera has moved, from matches alone."},
};
constexpr std::size_t kColumns = 4;
constexpr Extent kThumbnail{160, 90};

/// Copies a thumbnail to its cell of the picture of all.
void copy_thumbnail(const Image8& from, Image8& to, std::size_t index) {
    if (from.extent != kThumbnail) return;
    auto column = index % kColumns, row = index / kColumns;
    auto width = static_cast<std::size_t>(kThumbnail.width);
    auto height = static_cast<std::size_t>(kThumbnail.height);
    for (std::size_t y = 0; y < height; ++y)
        std::copy_n(from.rgba.begin() + static_cast<std::ptrdiff_t>(4 * y * width), 4 * width,
                    to.rgba.begin() + static_cast<std::ptrdiff_t>(
                                          4 * ((row * height + y) * kColumns + column) * width));
}

}  // namespace

std::span<const Example> examples() {
    return kGalleryExamples;
}

std::string path_of(const Example& example) {
    return find_data_file(std::string("scenes/gallery/") + example.id + ".toml");
}

void ExamplesView::load() {
    if (!paths_.empty()) return;
    for (auto& example : kGalleryExamples) paths_.push_back(path_of(example));
    constexpr std::size_t kRows = (std::size(kGalleryExamples) + kColumns - 1) / kColumns;
    preview.image.extent = {int(kColumns) * kThumbnail.width, int(kRows) * kThumbnail.height};
    preview.image.rgba.resize(4 * static_cast<std::size_t>(preview.image.extent.pixels()));
    for (std::size_t i = 0; i < std::size(kGalleryExamples); ++i) {
        auto file =
            find_data_file(std::string("assets/thumbnails/") + kGalleryExamples[i].id + ".png");
        if (file.empty()) continue;
        try {
            copy_thumbnail(read_image8(file), preview.image, i);
        } catch (const UserError&) {
            continue;  // a damaged thumbnail takes nothing away from its scene
        }
    }
    ++preview.version;
}

MenuPicture ExamplesView::picture(std::size_t index) const {
    auto width = static_cast<float>(preview.image.extent.width);
    auto height = static_cast<float>(preview.image.extent.height);
    vec2 size(static_cast<float>(kThumbnail.width) / width,
              static_cast<float>(kThumbnail.height) / height);
    vec2 from(static_cast<float>(index % kColumns) * size.x,
              static_cast<float>(index / kColumns) * size.y);
    return {preview.texture, from, from + size};
}

std::vector<MenuEntry> example_entries(const ViewerModel& model) {
    auto& view = model.state<ExamplesView>();
    view.load();
    std::vector<MenuEntry> entries;
    for (std::size_t i = 0; i < std::size(kGalleryExamples); ++i) {
        auto& example = kGalleryExamples[i];
        auto& path = view.path(i);
        if (path.empty()) continue;
        entries.push_back({example.title, example.help,
                           [path = path](ViewerModel& m) { open_scene(m, path); }, false,
                           view.picture(i)});
    }
    return entries;
}

}  // namespace tl
