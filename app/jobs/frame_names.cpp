#include "app/jobs/frame_names.h"

#include <filesystem>

#include "core/base/error.h"
#include "core/base/text.h"
#include "renderer/images/image_io.h"

namespace tl {
namespace {

/// Quotes a text as one word of a shell command.
std::string shell_word(const std::string& text) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./%:,=+@";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
    std::string word = "'";
    for (char c : text) c == '\'' ? word += "'\\''" : word += c;
    return word + "'";
}

/// A name that a program does not take for a flag.
std::string no_flag(const std::string& path) {
    return path.starts_with('-') ? "./" + path : path;
}

}  // namespace

FrameNames::FrameNames(const std::string& pattern) : pattern_(pattern) {
    bool found = false;
    std::string* text = &before_;
    auto refuse = [&](const std::string& what) {
        throw UsageError("-o " + pattern + ": " + what +
                         "; a sequence has one number in its name, such as frame_%04d.png");
    };
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            *text += pattern[i];
            continue;
        }
        if (pattern.substr(i, 2) == "%%") {
            *text += '%';
            ++i;
            continue;
        }
        auto end = pattern.find_first_not_of("0123456789", i + 1);
        if (end == std::string::npos || pattern[end] != 'd') refuse("a % without %d or %04d");
        if (found) refuse("it has two numbers");
        found = true;
        auto digits = std::string_view(pattern).substr(i + 1, end - i - 1);
        if (!digits.empty() && (digits.size() != 2 || digits[0] != '0'))
            refuse("%" + std::string(digits) + "d is neither %d nor %01d to %09d");
        digits_ = number_in<int>(digits).value_or(0);
        text = &after_;
        i = end;
    }
    if (!found) refuse("without a number all frames would be one file");
    if (after_.find('/') != std::string::npos) refuse("the number is in the name of a folder");
}

std::string FrameNames::of(int frame) const {
    auto number = std::to_string(frame);
    auto width = static_cast<std::size_t>(digits_);
    if (number.size() < width) number.insert(0, width - number.size(), '0');
    return before_ + number + after_;
}

std::string FrameNames::video_command(float fps, int first, Extent size) const {
    std::string command = "ffmpeg -framerate " + number_text(fps);
    if (first != 0) command += " -start_number " + std::to_string(first);
    if (is_exr(pattern_)) command += " -apply_trc iec61966_2_1";  // of linear pictures
    command += " -i " + shell_word(no_flag(pattern_));
    // The usual kind of video has an even number of rows and columns.
    if (size.width % 2 != 0 || size.height % 2 != 0)
        command += " -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2'";
    auto video = std::filesystem::path(before_);
    auto name = video.filename().string();
    while (name.ends_with('_') || name.ends_with('-') || name.ends_with('.')) name.pop_back();
    video.replace_filename((name.empty() ? "video" : name) + ".mp4");
    return command + " -pix_fmt yuv420p " + shell_word(no_flag(video.string()));
}

}  // namespace tl
