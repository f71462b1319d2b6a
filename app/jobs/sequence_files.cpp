#include "app/jobs/sequence_files.h"

#include <filesystem>

#include "app/jobs/frame_names.h"
#include "app/jobs/video_writer.h"
#include "core/base/error.h"

namespace tl {
namespace {

/// Whether a frame's file is there. It is whole then, since files appear only when they are.
bool is_done(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) &&
           std::filesystem::file_size(path, error) > 0;
}

}  // namespace

void check_files(const SequenceFiles& files, const FrameRange& range) {
    auto& output = files.output;
    if (is_video(output)) {
        if (files.resume)
            throw UsageError(output +
                             ": a video cannot be resumed; write pictures into "
                             "frame_%04d.png");
        return;
    }
    FrameNames names(output);
    if (is_linear_picture(output) && !is_exr(output))
        throw UsageError(output + ": the pictures of a sequence are written as .png, .jpg or .exr");
    for (int number : {range.first, range.last}) check_picture_path(names.of(number));
}

void leave_out_done(std::vector<SequenceFrame>& frames, const SequenceFiles& files) {
    if (!files.resume) return;
    FrameNames names(files.output);
    std::erase_if(frames, [&](auto& frame) { return is_done(names.of(frame.number)); });
}

}  // namespace tl
