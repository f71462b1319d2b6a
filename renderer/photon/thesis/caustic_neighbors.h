// Search for the photons nearest to gather points, for many points at once, by any of the search
// structures over points. Compares them on the caustics of a picture (Goradia 2008, section 7.3.5).
// Photons of all orientations are found; estimates use those that their filter accepts.
#pragma once

#include <memory>

#include "core/device/stage_timer.h"
#include "renderer/path/path_queues.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/point_structures.h"
#include "renderer/photon/thesis/photon_search.h"

TL_DEVICE_BEGIN

/// Search that reads the lists of nearest photons of consecutive gather points.
struct ListedSearch {
    using Storage = NoStorage;

    int k;
    const std::uint32_t* indices;  ///< k for each point; ~0: fewer were found
    const float* squares;          ///< squared distances
    const float* farthest;         ///< per point: squared distance of its k-th photon

    /// NearestSearch::for_each, for the gather point with that number in the lists.
    template <class Use>
    TL_D float for_each(const Team&, Storage&, const PhotonTreeView& photons,
                        const PhotonFilter& filter, std::uint32_t point, Use&& use) const {
        float reach = farthest[point];
        std::size_t first = static_cast<std::size_t>(point) * static_cast<std::size_t>(k);
        for (auto j = static_cast<int>(Team::rank()); j < k;
             j += static_cast<int>(Team::kThreads)) {
            std::uint32_t index = indices[first + static_cast<std::size_t>(j)];
            float square = squares[first + static_cast<std::size_t>(j)];
            if (index == ~0u || !(square < reach)) continue;
            vec3 at = load_vectorized(photons.tree.points[index]).position;
            if (filter.accepts(photons.surfaces[index], at, square)) use(index, square, reach);
        }
        return reach;
    }
};

/// A search structure over the caustic photons, and lists of what it finds.
class CausticNeighbors {
  public:
    /// Number of points whose lists are made at once.
    static constexpr std::uint32_t kBatch = 1u << 16;

    /// Builds the structure of config.thesis_search over the first `n` photons of the tree, unless
    /// it holds photons of this `version`. `reach`: largest search radius, m.
    void update(Scratch& scratch, const PhotonTreeView& photons, std::uint32_t n, float reach,
                const PhotonConfig& config, std::uint64_t version);
    /// Memory for the positions of a batch of points.
    [[nodiscard]] View<vec3> queries() { return queries_.view(); }
    /// Finds the photons nearest to the first `n` of queries(). Never waits.
    [[nodiscard]] ListedSearch find(Stream& stream, std::uint32_t n);

    /// Fraction of the nearest photons that the structure has found, over a sample of the points of
    /// the newest pass; 1 where there were none. Waits for the stream.
    [[nodiscard]] double recall(Stream& stream) const;

  private:
    /// Compares the lists of some of the first `n` points with those of an exact search.
    void measure_recall(Stream& stream, std::uint32_t n);

    std::unique_ptr<PointStructure> structure_, exact_;
    PhotonSearch made_for_ = PhotonSearch::nearest;  ///< structure_'s
    std::uint64_t version_ = 0;
    float reach_ = 0;
    int k_ = 0;
    std::uint32_t n_photons_ = 0;
    bool is_measured_ = false;  ///< whether the recall is that of the present photons
    DeviceArray<vec3> positions_, queries_;
    DeviceArray<std::uint32_t> indices_;
    DeviceArray<float> squares_, farthest_, exact_farthest_;
    DeviceArray<std::uint32_t> found_;  ///< two: photons found, photons that there are
};

TL_DEVICE_END
