// Positions of picture, panel and status line in the window.
#include <gtest/gtest.h>

#include "app/viewer/imgui/layout.h"

namespace tl::layout_tests {
namespace {

TEST(Layout, AWindowMadeForAPictureShowsItInThatSize) {
    for (float scale : {0.5f, 1.0f, 1.25f, 2.0f, 3.0f})
        for (bool interface : {false, true})
            for (bool moves : {false, true})
                for (Extent picture : {Extent{320, 240}, {321, 241}, {64, 48}, {1280, 720}}) {
                    auto window = window_for(picture, scale, interface, kPanelWidth, moves);
                    auto layout = layout_of(window, scale, interface, kPanelWidth, moves);
                    EXPECT_EQ(layout.picture.extent(), picture) << scale << interface << moves;
                }
}

TEST(Layout, PartsCoverTheWindowAndDoNotOverlap) {
    Extent window{1280, 720};
    for (bool moves : {false, true}) {
        auto layout = layout_of(window, 1, true, kPanelWidth, moves);
        EXPECT_EQ(layout.menu.width, window.width);
        EXPECT_EQ(layout.menu.height, layout.picture.y);
        EXPECT_EQ(layout.picture.x + layout.picture.width, layout.panel.x);
        EXPECT_EQ(layout.panel.x + layout.panel.width, window.width);
        EXPECT_EQ(layout.panel.y, layout.picture.y);
        EXPECT_EQ(layout.picture.height + layout.timeline.height, layout.panel.height);
        EXPECT_EQ(layout.timeline.height > 0, moves);
        EXPECT_EQ(layout.timeline.width, layout.picture.width);
        EXPECT_EQ(layout.timeline.y, layout.picture.y + layout.picture.height);
        EXPECT_EQ(layout.status.y, layout.panel.y + layout.panel.height);
        EXPECT_EQ(layout.status.y + layout.status.height, window.height);
    }
}

TEST(Layout, ThePanelTakesAtMostThreeFifthsOfTheWindow) {
    for (float scale : {1.0f, 2.0f, 4.0f}) {
        auto layout = layout_of({1280, 720}, scale, true, kWidestPanel);
        EXPECT_EQ(layout.panel.width, 768);
        EXPECT_EQ(layout.picture.width, 512);
    }
    EXPECT_EQ(layout_of({500, 400}, 1, true).panel.width, kPanelWidth) << "in a small window";
}

TEST(Layout, ANarrowOrLowWindowDoesWithoutThePanel) {
    auto narrow = layout_of({200, 300}, 1, true);
    EXPECT_EQ(narrow.panel.width, 0);
    EXPECT_EQ(narrow.picture.width, 200);
    for (Extent window : {Extent{1, 1}, Extent{0, 0}, Extent{60, 40}}) {
        auto layout = layout_of(window, 2, true, kPanelWidth, true);
        EXPECT_EQ(layout.picture.extent(), window);
        EXPECT_EQ(layout.menu.height, 0);
        EXPECT_EQ(layout.timeline.height, 0);
    }
}

}  // namespace
}  // namespace tl::layout_tests
