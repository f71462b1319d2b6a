// Videos, made by ffmpeg from pictures that are handed to it one by one.
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// True for a path that ends in .mp4, .mkv, .mov or .webm, in any case.
[[nodiscard]] bool is_video(const std::string& path);

/// Ends the ffmpegs of all writers and removes their unfinished files. It may be called in a
/// handler of a signal that ends the program.
void end_unfinished_videos();

/// Runs ffmpeg with the pictures through a pipe. The file appears under its path only when it is
/// whole.
class VideoWriter {
  public:
    /// `size`: of all pictures. Throws UserError where there is no ffmpeg or the file cannot be
    /// written.
    VideoWriter(const std::string& path, Extent size, float fps);
    /// Ends ffmpeg and removes an unfinished file.
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    /// Adds a frame; alpha is ignored. Throws UserError with what ffmpeg says.
    void add(const Image8& picture);
    /// Completes the file. Throws UserError as add().
    void finish();

  private:
    void close_pipe();
    /// Waits for ffmpeg; true where it has succeeded.
    bool wait();
    [[noreturn]] void fail();

    std::string path_, part_;  // the video; the file that ffmpeg writes
    Extent size_;
    int pipe_ = -1, messages_ = -1;  // ffmpeg's input; a file with what it says
    int process_ = -1;
    std::size_t slot_ = 0;  // in the list that end_unfinished_videos() goes through
};

}  // namespace tl
