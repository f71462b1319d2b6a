// Positions of picture, panel and status line in the window.
#include <gtest/gtest.h>

#include "app/viewer/imgui/layout.h"

namespace tl::layout_tests {
namespace {

TEST(Layout, AWindowMadeForAPictureShowsItInThatSize) {
    for (float scale : {0.5f, 1.0f, 1.25f, 2.0f})
        for (bool interface : {false, true}) {
            Extent picture{320, 240};
            auto layout = layout_of(window_for(picture, scale, interface), scale, interface);
            EXPECT_EQ(layout.picture.extent(), picture) << scale << interface;
        }
}

TEST(Layout, PartsCoverTheWindowAndDoNotOverlap) {
    Extent window{1280, 720};
    auto layout = layout_of(window, 1, true);
    EXPECT_EQ(layout.picture.x + layout.picture.width, layout.panel.x);
    EXPECT_EQ(layout.panel.x + layout.panel.width, window.width);
    EXPECT_EQ(layout.picture.height, layout.panel.height);
    EXPECT_EQ(layout.status.y, layout.picture.height);
    EXPECT_EQ(layout.status.y + layout.status.height, window.height);
}

TEST(Layout, ANarrowOrLowWindowDoesWithoutThePanel) {
    auto narrow = layout_of({200, 300}, 1, true);
    EXPECT_EQ(narrow.panel.width, 0);
    EXPECT_EQ(narrow.picture.width, 200);
    for (Extent window : {Extent{1, 1}, Extent{0, 0}, Extent{60, 40}})
        EXPECT_EQ(layout_of(window, 2, true).picture.extent(), window);
}

}  // namespace
}  // namespace tl::layout_tests
