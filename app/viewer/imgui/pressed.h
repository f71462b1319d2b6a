// What panels ask of the keyboard themselves.
#pragma once

#include <imgui/imgui.h>

namespace tl {

/// Whether the key was pressed in this frame, or repeats. Only keys that ImguiBridge feeds.
[[nodiscard]] bool pressed(ImGuiKey key);

/// Shows which item the keys have reached, before the first of them is pressed.
void show_reached_item();

/// Gives the keyboard to the window that is drawn: to the item reached last, or to the first one.
void reach_first_item();

/// While it lives, the keyboard passes over what is drawn: Tab alone, or arrows too.
class PassedBy {
  public:
    enum Keys { tab, all_keys };
    explicit PassedBy(Keys keys);
    ~PassedBy();
    PassedBy(const PassedBy&) = delete;
    PassedBy& operator=(const PassedBy&) = delete;

  private:
    bool all_keys_;
    bool waits_ = false;  // a search for the item that Tab goes to
};

/// For child windows that keys enter and leave as if they were a part of the window.
#if IMGUI_VERSION_NUM >= 19090
inline constexpr ImGuiWindowFlags kNavigatedWithParent = 0;
#else
inline constexpr ImGuiWindowFlags kNavigatedWithParent = ImGuiWindowFlags_NavFlattened;
#endif

}  // namespace tl
