// Thumbnails in the file browser.
#include "app/viewer/files/file_thumbnails.h"

#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::file_thumbnails_tests {
namespace {

Image8 plain(Extent extent, std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    Image8 image{extent, {}};
    for (int i = 0; i < extent.width * extent.height; ++i)
        image.rgba.insert(image.rgba.end(), {r, g, b, 255});
    return image;
}

class Thumbnails : public OffscreenViewer {
  protected:
    FileThumbnails& thumbnails() { return viewer_->model().state<FileThumbnails>(); }
    /// The colour in the middle of a file's thumbnail, once it is there.
    vec3 color_of(const std::string& folder, const std::string& name) {
        FolderEntry entry{name};
        std::optional<MenuPicture> found;
        step_until([&] {
            found = thumbnails().picture(folder, entry, preferences_);
            return found.has_value();
        });
        auto& atlas = thumbnails().preview.image;
        vec2 middle = (found->from + found->to) / 2.0f;
        auto x = static_cast<std::size_t>(middle.x * static_cast<float>(atlas.extent.width));
        auto y = static_cast<std::size_t>(middle.y * static_cast<float>(atlas.extent.height));
        auto* rgba = &atlas.rgba[4 * (y * static_cast<std::size_t>(atlas.extent.width) + x)];
        return {rgba[0], rgba[1], rgba[2]};
    }
    void open_browser() {
        browse(viewer_->model(), folder_.path(""));
        steps(4);
    }
};

TEST(ThumbnailOf, KeepsTheShapeAndTheMeanOfAPicture) {
    test::TempFolder folder;
    Image8 halves{{400, 200}, {}};
    for (int i = 0; i < 400 * 200; ++i) {
        auto level = static_cast<std::uint8_t>(i % 400 < 200 ? 0 : 200);
        halves.rgba.insert(halves.rgba.end(), {level, level, level, 255});
    }
    write_png(folder.path("a.png"), halves);
    auto small = thumbnail_of(folder.path("a.png"), {96, 54});
    EXPECT_EQ(small.extent, (Extent{96, 48}));
    EXPECT_EQ(small.rgba[0], 0);
    EXPECT_EQ(small.rgba[4 * 95], 200);
    // Small pictures stay as they are, and radiance is shown as a picture.
    write_image(folder.path("a.exr"), {{2, 1}, {vec3(1), vec3(9)}});
    auto radiance = thumbnail_of(folder.path("a.exr"), {96, 54});
    EXPECT_EQ(radiance.extent, (Extent{2, 1}));
    EXPECT_EQ(radiance.rgba, std::vector<std::uint8_t>(8, 255));
}

TEST_F(Thumbnails, ShowPicturesOfEveryFormat) {
    start();
    open_browser();
    write_png(folder_.path("red.png"), plain({200, 100}, 250, 0, 0));
    write_image(folder_.path("green.exr"), {{40, 90}, std::vector<vec3>(3600, vec3(0, 1, 0))});
    write_image(folder_.path("blue.hdr"), {{40, 30}, std::vector<vec3>(1200, vec3(0, 0, 2))});
    EXPECT_EQ(color_of(folder_.path(""), "red.png"), vec3(250, 0, 0));
    EXPECT_EQ(color_of(folder_.path(""), "green.exr"), vec3(0, 255, 0));
    EXPECT_EQ(color_of(folder_.path(""), "blue.hdr"), vec3(0, 0, 255));
    EXPECT_EQ(thumbnails().n_kept(), 3u);
    thumbnails().forget();
    EXPECT_EQ(thumbnails().n_kept(), 0u);
}

TEST_F(Thumbnails, AFileThatCannotBeReadHasNoneAndIsNoError) {
    auto& model = start().model();
    open_browser();
    folder_.write("broken.png", "no picture");
    folder_.write("broken.exr", "v/1\x01");
    write_png(folder_.path("red.png"), plain({20, 10}, 250, 0, 0));
    for (auto* name : {"broken.png", "broken.exr", "none.png", "text.txt"}) {
        FolderEntry entry{name};
        EXPECT_FALSE(thumbnails().picture(folder_.path(""), entry, preferences_));
    }
    (void)color_of(folder_.path(""), "red.png");
    EXPECT_EQ(thumbnails().n_kept(), 1u);
    EXPECT_EQ(model.status.messages.n_errors(), 0u);
    EXPECT_TRUE(model.view.browser.open);
}

TEST_F(Thumbnails, ScenesHaveTheirLastSavedPicture) {
    auto& model = start().model();
    open_browser();
    auto gallery = source_path("scenes/gallery");
    auto first = color_of(gallery, "interior.toml");
    model.document.scene.path = gallery + "/interior.toml";
    take_screenshot(model, {PictureFormat::png, folder_.path("saved.png")});
    step_until([&] { return preferences_.scene_pictures.size() == 1; });
    auto saved = color_of(gallery, "interior.toml");
    EXPECT_NE(first, saved);
    auto own = thumbnail_of(folder_.path("saved.png"), FileThumbnails::kCell);
    auto middle = 4 * static_cast<std::size_t>(own.extent.height / 2 * own.extent.width +
                                               own.extent.width / 2);
    EXPECT_EQ(saved.x, static_cast<float>(own.rgba[middle]));
    std::filesystem::remove(folder_.path("saved.png"));
    EXPECT_EQ(color_of(gallery, "interior.toml"), first);
}

TEST_F(Thumbnails, TheLeastUsedGiveWay) {
    start();
    open_browser();
    for (int i = 0; i < 140; ++i) {
        auto name = std::to_string(i) + ".png";
        write_png(folder_.path(name), plain({4, 2}, static_cast<std::uint8_t>(i), 0, 0));
        EXPECT_EQ(color_of(folder_.path(""), name).x, static_cast<float>(i));
    }
    EXPECT_LE(thumbnails().n_kept(), 128u);
    EXPECT_EQ(color_of(folder_.path(""), "0.png").x, 0);
    EXPECT_EQ(color_of(folder_.path(""), "139.png").x, 139);
}

TEST_F(Thumbnails, OnlyRowsThatAreSeenAreRead) {
    context_->resize(window_for({640, 480}, 1, true));
    auto& model = start().model();
    for (int i = 100; i < 160; ++i)
        write_png(folder_.path(std::to_string(i) + ".png"), plain({4, 2}, 9, 9, 9));
    ask_for_compared_picture(model);
    enter_folder(model.view.browser, folder_.path(""));
    steps(4);
    step_until([&] { return thumbnails().n_kept() > 0; });
    steps(20);
    EXPECT_LT(thumbnails().n_kept(), 40u);
}

}  // namespace
}  // namespace tl::file_thumbnails_tests
