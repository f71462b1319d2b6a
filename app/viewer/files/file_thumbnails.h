// Thumbnails of pictures and scenes in the file browser. A background job reads the files, and one
// texture keeps their thumbnails. A full texture gives up the least recently used one.
#pragma once

#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/background_job.h"
#include "app/viewer/files/folder_listing.h"
#include "app/viewer/files/preferences.h"
#include "app/viewer/viewer_interface.h"

namespace tl {

class FileThumbnails final : public SectionState {
  public:
    /// Pixels of a thumbnail's cell; smaller thumbnails are centred on a transparent ground.
    static constexpr Extent kCell{96, 54};

    /// Whether a file of this name may have a thumbnail: a picture, or a scene file.
    [[nodiscard]] static bool may_show(const std::string& name);
    /// Thumbnail of an entry of `folder`. A scene shows the picture last saved of it, or the one
    /// that the gallery has of it. The first call requests the file; returns none until it has been
    /// read, and for files without a thumbnail.
    [[nodiscard]] std::optional<MenuPicture> picture(const std::string& folder,
                                                     const FolderEntry& entry,
                                                     const Preferences& preferences);
    /// Number of thumbnails in the texture.
    [[nodiscard]] std::size_t n_kept() const;

    bool poll(ViewerModel& model) override;
    void close() override { job_.drop(); }
    void forget() override;

  private:
    static constexpr int kColumns = 8, kRows = 16;  ///< cells of the texture
    static constexpr int kAtOnce = 8;               ///< files that one job reads
    static constexpr int kNoCell = -1;

    /// A picture's file in one version; a newer one is read again.
    struct Source {
        std::string path;
        std::time_t changed = 0;  ///< time of the last modification
        bool operator==(const Source&) const = default;
    };
    /// A requested thumbnail.
    struct Entry {
        Source source;
        int cell = kNoCell;      ///< row-major index of its cell; kNoCell: not read, or unreadable
        std::uint64_t used = 0;  ///< n_calls_ at its last request
    };
    /// Files and thumbnails of one job; a thumbnail is empty where its file could not be read.
    struct Batch {
        std::vector<Source> sources;
        std::vector<Image8> thumbnails;
    };
    /// Starts a job that reads the newest requests.
    void start_reading();
    /// Copies a thumbnail to the texture, unless its file was requested in a newer version.
    void keep(const Source& source, const Image8& thumbnail);
    /// Returns a free cell, else takes that of the least recently used thumbnail.
    [[nodiscard]] int take_cell();

    std::map<std::string, Entry> entries_;  ///< by the path of the picture
    std::vector<Source> wanted_;            ///< requests that no job has read; the newest is last
    BackgroundJob<Batch> job_;
    std::uint64_t n_calls_ = 0;  ///< calls of picture() that found a file
};

/// Reads a picture and averages its pixels so that it fits in `most`. Radiance is clipped at 1, and
/// small pictures keep their size. Throws UserError if the file cannot be read.
[[nodiscard]] Image8 thumbnail_of(const std::string& path, Extent most);

}  // namespace tl
