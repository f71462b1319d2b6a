// The checkpoint of a picture that takes long: written from time to time, continued by the next run
// of the same command, and removed with the last sample.
#pragma once

#include <chrono>
#include <optional>

#include "app/jobs/interrupt.h"
#include "app/jobs/picture_key.h"
#include "app/jobs/rank_job.h"
#include "session/picture_state.h"

namespace tl {

class Checkpoint {
  public:
    /// `every`: time between two states that are written.
    Checkpoint(std::string path, std::chrono::seconds every, PictureKey key);

    /// Collective: brings the sessions of all ranks to the state in the file, which the root reads.
    /// Returns the samples there, of the rank that has fewest; none if there is no file. Throws
    /// UserError for a file that does not fit, cannot be written, or if `interrupt` is set
    /// meanwhile; the file stays as it is. `spp`: samples wanted.
    std::optional<std::uint32_t> resume(Session& session, AovBuffers& layers, std::uint32_t spp,
                                        Ranks* job, const InterruptFlag& interrupt);

    /// Whether it is time for the next state. Root only, as all that follows.
    [[nodiscard]] bool is_due() const { return Clock::now() - last_ >= every_; }
    /// Writes the session's state. `samples`: as PictureState::samples. Returns false, after a
    /// warning, if that fails; the former state then stays.
    bool save(Session& session, AovBuffers& layers, std::vector<std::uint32_t> samples);
    /// Removes the file, once the picture is written.
    void remove();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    using Clock = std::chrono::steady_clock;
    std::string path_;
    std::chrono::seconds every_;
    PictureKey key_;
    Clock::time_point last_ = Clock::now();
};

}  // namespace tl
