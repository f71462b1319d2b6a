// Keyboard queries and focus control for panels.
#pragma once

#include <imgui/imgui.h>

namespace tl {

/// Whether the key was pressed in this frame, or repeats. Only keys that ImguiBridge feeds.
[[nodiscard]] bool pressed(ImGuiKey key);

/// Shows the item with keyboard focus before the first key is pressed.
void show_reached_item();

/// Gives keyboard focus to the current window: to the item reached last, or to the first one.
void reach_first_item();

/// Excludes drawn items from keyboard navigation during its lifetime: from Tab alone, or from
/// arrows too.
class SkippedByKeys {
  public:
    enum Keys { tab, all_keys };
    explicit SkippedByKeys(Keys keys);
    ~SkippedByKeys();
    SkippedByKeys(const SkippedByKeys&) = delete;
    SkippedByKeys& operator=(const SkippedByKeys&) = delete;

  private:
    bool all_keys_;
    bool waits_ = false;  // until the item is found that Tab goes to
};

/// Flags of child windows that keyboard navigation enters and leaves as parts of their parent.
#if IMGUI_VERSION_NUM >= 19090
inline constexpr ImGuiWindowFlags kNavigatedWithParent = 0;
#else
inline constexpr ImGuiWindowFlags kNavigatedWithParent = ImGuiWindowFlags_NavFlattened;
#endif

}  // namespace tl
