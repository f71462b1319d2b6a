#include "app/viewer/imgui/theme.h"

#include <imgui/imgui.h>

#include <filesystem>

namespace tl {
namespace {

constexpr float kFontSize = 15;  // at scale 1

// Debian and Ubuntu, Fedora, Arch.
constexpr const char* kFontPaths[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                      "/usr/share/fonts/TTF/DejaVuSans.ttf"};

void load_font(float scale) {
    // Latin, Greek, Cyrillic, punctuation: names of files and scenes.
    static const ImWchar ranges[] = {0x20, 0x24f, 0x370, 0x3ff, 0x400, 0x52f, 0x2010, 0x2027, 0};
    auto& fonts = *ImGui::GetIO().Fonts;
    fonts.Clear();
    for (const char* path : kFontPaths) {
        std::error_code error;
        if (std::filesystem::exists(path, error) &&
            fonts.AddFontFromFileTTF(path, kFontSize * scale, nullptr, ranges))
            return;
    }
    ImFontConfig config;
    config.SizePixels = 13 * scale;
    fonts.AddFontDefault(&config);
}

ImVec4 rgb(int hex, float alpha = 1) {
    return {static_cast<float>(hex >> 16 & 255) / 255, static_cast<float>(hex >> 8 & 255) / 255,
            static_cast<float>(hex & 255) / 255, alpha};
}

void set_dark_colors(ImGuiStyle& style) {
    ImGui::StyleColorsDark(&style);
    auto& colors = style.Colors;
    colors[ImGuiCol_WindowBg] = rgb(0x1b1d21);
    colors[ImGuiCol_PopupBg] = rgb(0x24272d, 0.98f);
    colors[ImGuiCol_MenuBarBg] = rgb(0x24272d);
    colors[ImGuiCol_ModalWindowDimBg] = rgb(0x000000, 0.45f);
    colors[ImGuiCol_FrameBg] = rgb(0x2d3138);
    colors[ImGuiCol_FrameBgHovered] = rgb(0x3a3f48);
    colors[ImGuiCol_FrameBgActive] = rgb(0x474d58);
    colors[ImGuiCol_Header] = rgb(0x2f4a3c);
    colors[ImGuiCol_HeaderHovered] = rgb(0x3a6450);
    colors[ImGuiCol_HeaderActive] = rgb(0x457a61);
    colors[ImGuiCol_Button] = rgb(0x2f4a3c);
    colors[ImGuiCol_ButtonHovered] = rgb(0x3a6450);
    colors[ImGuiCol_ButtonActive] = rgb(0x457a61);
    colors[ImGuiCol_Tab] = colors[ImGuiCol_TabUnfocused] = rgb(0x24272d);
    colors[ImGuiCol_TabActive] = colors[ImGuiCol_TabUnfocusedActive] = rgb(0x2f4a3c);
    colors[ImGuiCol_TabHovered] = rgb(0x3a6450);
    colors[ImGuiCol_CheckMark] = rgb(0x6fbf95);
    colors[ImGuiCol_SliderGrab] = colors[ImGuiCol_PlotHistogram] = rgb(0x3d7a5d);
    colors[ImGuiCol_SliderGrabActive] = rgb(0x4f9c78);
    colors[ImGuiCol_PlotLines] = rgb(0x6fbf95);
    colors[ImGuiCol_TitleBgActive] = rgb(0x2f4a3c);
    colors[ImGuiCol_Text] = rgb(0xe3e5e8);
    colors[ImGuiCol_TextDisabled] = rgb(0x9298a3);
}

void set_light_colors(ImGuiStyle& style) {
    ImGui::StyleColorsLight(&style);
    auto& colors = style.Colors;
    colors[ImGuiCol_WindowBg] = rgb(0xf4f5f6);
    colors[ImGuiCol_PopupBg] = rgb(0xffffff, 0.98f);
    colors[ImGuiCol_MenuBarBg] = rgb(0xe4e6e9);
    colors[ImGuiCol_ModalWindowDimBg] = rgb(0x000000, 0.35f);
    colors[ImGuiCol_FrameBg] = rgb(0xdcdfe3);
    colors[ImGuiCol_FrameBgHovered] = rgb(0xcdd2d8);
    colors[ImGuiCol_FrameBgActive] = rgb(0xbfc5cd);
    colors[ImGuiCol_Header] = colors[ImGuiCol_Button] = rgb(0xc3dccf);
    colors[ImGuiCol_HeaderHovered] = colors[ImGuiCol_ButtonHovered] = rgb(0xaed1bf);
    colors[ImGuiCol_HeaderActive] = colors[ImGuiCol_ButtonActive] = rgb(0x97c4ad);
    colors[ImGuiCol_Tab] = colors[ImGuiCol_TabUnfocused] = rgb(0xe4e6e9);
    colors[ImGuiCol_TabActive] = colors[ImGuiCol_TabUnfocusedActive] = rgb(0xc3dccf);
    colors[ImGuiCol_TabHovered] = rgb(0xaed1bf);
    colors[ImGuiCol_CheckMark] = colors[ImGuiCol_PlotLines] = rgb(0x22694a);
    colors[ImGuiCol_SliderGrab] = colors[ImGuiCol_PlotHistogram] = rgb(0x6fae8e);
    colors[ImGuiCol_SliderGrabActive] = rgb(0x4f9c78);
    colors[ImGuiCol_TitleBgActive] = rgb(0xc3dccf);
    colors[ImGuiCol_Text] = rgb(0x1d2126);
    colors[ImGuiCol_TextDisabled] = rgb(0x5d6672);
}

}  // namespace

void apply_theme(const Look& look) {
    load_font(look.scale);
    ImGuiStyle style;
    if (look.light)
        set_light_colors(style);
    else
        set_dark_colors(style);
    style.WindowRounding = 0;
    style.PopupRounding = style.FrameRounding = style.GrabRounding = 3;
    style.WindowBorderSize = 0;
    style.FramePadding = ImVec2(6, 3);
    style.ItemSpacing = ImVec2(8, 5);
    style.ScrollbarSize = 12;
    style.ScaleAllSizes(look.scale);
    ImGui::GetStyle() = style;
}

}  // namespace tl
