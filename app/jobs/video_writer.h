// Videos, encoded by ffmpeg from pictures that are passed to it one by one.
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// True for a path that ends in .mp4, .mkv, .mov or .webm, in any case.
[[nodiscard]] bool is_video(const std::string& path);

/// Ends the ffmpeg processes of all writers and removes their unfinished files. May be called in
/// the handler of a signal that ends the program.
void end_unfinished_videos();

/// Runs ffmpeg with the pictures through a pipe. The file appears under its path only once it is
/// complete.
class VideoWriter {
  public:
    /// `size`: size of all pictures. Throws UserError if there is no ffmpeg or the file cannot be
    /// written.
    VideoWriter(const std::string& path, Extent size, float fps);
    /// Ends ffmpeg and removes an unfinished file.
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    /// Adds a frame; alpha is ignored. Throws UserError with ffmpeg's message.
    void add(const Image8& picture);
    /// Completes the file. Throws UserError as add().
    void finish();

  private:
    void close_pipe();
    /// Waits for ffmpeg; returns whether it has succeeded.
    bool wait();
    [[noreturn]] void fail();

    std::string path_, part_;  // the video; the file that ffmpeg writes
    Extent size_;
    int pipe_ = -1, messages_ = -1;  // ffmpeg's input; a file with its messages
    int process_ = -1;
    std::size_t slot_ = 0;  // in the list of running videos
};

}  // namespace tl
