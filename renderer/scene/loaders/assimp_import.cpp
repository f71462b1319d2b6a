#include "renderer/scene/loaders/assimp_import.h"

#include "core/base/error.h"

#if defined(TL_HAS_ASSIMP)

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/DefaultIOSystem.h>
#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/files.h"
#include "core/base/one_line.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/scene_paths.h"

namespace tl {
namespace {

vec3 vector_of(const aiVector3D& v) {
    return {v.x, v.y, v.z};
}
vec3 color_of(const aiColor3D& c) {
    return {c.r, c.g, c.b};
}
/// Converts a matrix, which assimp stores by rows.
glm::dmat4 matrix_of(const aiMatrix4x4& m) {
    glm::dmat4 out;
    for (unsigned row = 0; row < 4; ++row)
        for (unsigned column = 0; column < 4; ++column)
            out[static_cast<int>(column)][static_cast<int>(row)] =
                static_cast<double>(m[row][column]);
    return out;
}

std::size_t vertex_count(const aiScene& scene) {
    std::size_t count = 0;
    for (unsigned i = 0; i < scene.mNumMeshes; ++i) count += scene.mMeshes[i]->mNumVertices;
    return count;
}

class AssimpReader {
  public:
    AssimpReader(const aiScene& source, const ReadProgress& progress)
        : source_(source), progress_(progress) {}

    ImportedModel read() {
        for (unsigned i = 0; i < source_.mNumTextures; ++i) add_image(*source_.mTextures[i]);
        for (unsigned i = 0; i < source_.mNumMaterials; ++i) add_material(*source_.mMaterials[i]);
        WorkLoop loop(progress_, kConverting, vertex_count(source_));
        for (unsigned i = 0; i < source_.mNumMeshes; ++i) add_mesh(*source_.mMeshes[i], loop);
        loop.end();
        walk();
        for (unsigned i = 0; i < source_.mNumCameras; ++i) add_camera(*source_.mCameras[i]);
        for (unsigned i = 0; i < source_.mNumLights; ++i) add_light(*source_.mLights[i]);
        return std::move(model_);
    }

  private:
    void warn(const char* what) { model_.warnings.emplace_back(what); }

    void add_image(const aiTexture& source) {
        auto& image = model_.images.emplace_back();
        if (source.mHeight == 0) {
            image.bytes.assign(reinterpret_cast<const char*>(source.pcData), source.mWidth);
            return;
        }
        image.width = static_cast<int>(source.mWidth);
        image.height = static_cast<int>(source.mHeight);
        for (std::size_t i = 0; i < std::size_t{source.mWidth} * source.mHeight; ++i) {
            auto& texel = source.pcData[i];
            for (auto byte : {texel.r, texel.g, texel.b, texel.a})
                image.bytes += static_cast<char>(byte);
        }
    }

    void add_material(const aiMaterial& source) {
        auto& m = model_.materials.emplace_back();
        aiString name;
        if (source.Get(AI_MATKEY_NAME, name) == AI_SUCCESS) m.name = name.C_Str();
        aiColor3D color;
        auto get = [&](const char* key, unsigned type, unsigned index, vec3& value) {
            if (source.Get(key, type, index, color) == AI_SUCCESS) value = color_of(color);
        };
        get(AI_MATKEY_COLOR_DIFFUSE, m.diffuse);
        get(AI_MATKEY_COLOR_SPECULAR, m.specular);
        get(AI_MATKEY_COLOR_EMISSIVE, m.emission);
        float strength = 1;
        if (source.Get(AI_MATKEY_SHININESS_STRENGTH, strength) == AI_SUCCESS)
            m.specular *= strength;
        (void)source.Get(AI_MATKEY_SHININESS, m.shininess);
        (void)source.Get(AI_MATKEY_OPACITY, m.opacity);
        (void)source.Get(AI_MATKEY_REFRACTI, m.ior);
        m.diffuse_texture = texture(source, aiTextureType_DIFFUSE);
        if (m.diffuse_texture.path.empty() && m.diffuse_texture.embedded < 0)
            m.diffuse_texture = texture(source, aiTextureType_BASE_COLOR);
        bool is_textured = !m.diffuse_texture.path.empty() || m.diffuse_texture.embedded >= 0;
        if (is_textured) m.diffuse = vec3(1);  // most formats replace the colour by the texture
        m.alpha_texture = texture(source, aiTextureType_OPACITY);
        m.normal_texture = texture(source, aiTextureType_NORMALS);
        if (source.GetTextureCount(aiTextureType_HEIGHT) > 0)
            warn("height maps are not used; normal maps are");
        if (source.GetTextureCount(aiTextureType_EMISSIVE) > 0)
            warn("emissive textures are not used");
    }

    ImportedTexture texture(const aiMaterial& source, aiTextureType type) {
        ImportedTexture out;
        aiString path;
        aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap,
                                     aiTextureMapMode_Wrap};
        unsigned channel = 0;
        if (source.GetTextureCount(type) == 0 ||
            source.GetTexture(type, 0, &path, nullptr, &channel, nullptr, nullptr, modes) !=
                AI_SUCCESS)
            return out;
        if (channel != 0) warn("textures use the first texture coordinates only");
        auto [image, index] = source_.GetEmbeddedTextureAndIndex(path.C_Str());
        if (image)
            out.embedded = index;
        else
            out.path = path.C_Str();
        auto wrap_of = [](aiTextureMapMode mode) {
            if (mode == aiTextureMapMode_Clamp) return TextureWrap::clamp;
            return mode == aiTextureMapMode_Mirror ? TextureWrap::mirror : TextureWrap::repeat;
        };
        out.wrap_u = wrap_of(modes[0]);
        out.wrap_v = wrap_of(modes[1]);
        return out;
    }

    void add_mesh(const aiMesh& source, WorkLoop& loop) {
        auto& mesh = model_.meshes.emplace_back();
        mesh.name = source.mName.C_Str();
        mesh.material = static_cast<std::int32_t>(source.mMaterialIndex);
        bool has_uvs = source.HasTextureCoords(0);
        for (unsigned i = 0; i < source.mNumVertices; ++i) {
            loop.at(n_converted_++);
            mesh.positions.push_back(vector_of(source.mVertices[i]));
            if (source.HasNormals()) mesh.normals.push_back(vector_of(source.mNormals[i]));
            if (has_uvs)
                mesh.uvs.emplace_back(source.mTextureCoords[0][i].x, source.mTextureCoords[0][i].y);
            if (source.HasVertexColors(0)) {
                auto& color = source.mColors[0][i];
                mesh.colors.emplace_back(color.r, color.g, color.b);
            }
        }
        for (unsigned i = 0; i < source.mNumFaces; ++i) {
            auto& face = source.mFaces[i];
            if (face.mNumIndices == 3)
                mesh.triangles.emplace_back(face.mIndices[0], face.mIndices[1], face.mIndices[2]);
            else if (face.mNumIndices == 1 || face.mNumIndices == 2)
                mesh.strokes.emplace_back(face.mIndices[0], face.mIndices[face.mNumIndices - 1]);
        }
    }

    /// Adds the meshes of all nodes, in the order of the file.
    void walk() {
        struct Step {
            const aiNode* node;
            glm::dmat4 parent;
        };
        std::vector<Step> open{{source_.mRootNode, glm::dmat4(1)}};
        while (!open.empty()) {
            auto [node, parent] = open.back();
            open.pop_back();
            if (!node) continue;
            glm::dmat4 transform = parent * matrix_of(node->mTransformation);
            for (unsigned i = 0; i < node->mNumMeshes; ++i)
                model_.places.push_back({static_cast<std::int32_t>(node->mMeshes[i]), transform});
            for (unsigned i = node->mNumChildren; i-- > 0;)
                open.push_back({node->mChildren[i], transform});
        }
    }

    /// Transform from the space of the node of this name to world space.
    [[nodiscard]] glm::dmat4 transform_of(const aiString& name) const {
        glm::dmat4 transform(1);
        const aiNode* node = source_.mRootNode ? source_.mRootNode->FindNode(name) : nullptr;
        for (; node; node = node->mParent) transform = matrix_of(node->mTransformation) * transform;
        return transform;
    }

    void add_camera(const aiCamera& source) {
        glm::dmat4 m = transform_of(source.mName);
        auto point = [&](const aiVector3D& p, double w) {
            return vec3(m * glm::dvec4(glm::dvec3(vector_of(p)), w));
        };
        Camera camera;
        camera.eye = point(source.mPosition, 1);
        camera.target = camera.eye + point(source.mLookAt, 0);
        camera.up = point(source.mUp, 0);
        // Importers give the whole angle, from the left to the right edge.
        double aspect = source.mAspect > 0 ? double(source.mAspect) : 4.0 / 3;
        constexpr double kLeast = 0.02;  // less comes of files whose angle the importer missed
        double across = double(source.mHorizontalFOV);
        double fov = across > kLeast && across < 3.1 ? 2 * std::atan(std::tan(across / 2) / aspect)
                                                     : glm::radians(45.0);
        camera.vertical_fov =
            std::clamp(static_cast<float>(glm::degrees(fov)), kNarrowestFov, kWidestFov);
        model_.cameras.push_back(camera);
    }

    void add_light(const aiLight& source) {
        glm::dmat4 m = transform_of(source.mName);
        ImportedLight out;
        Light& light = out.light;
        switch (source.mType) {
            case aiLightSource_POINT:
                light.kind = LightKind::point;
                break;
            case aiLightSource_SPOT:
                light.kind = LightKind::spot;
                break;
            case aiLightSource_DIRECTIONAL:
                light.kind = LightKind::directional;
                break;
            default:
                warn("ambient and area lights are not used");
                return;
        }
        light.position = vec3(m * glm::dvec4(glm::dvec3(vector_of(source.mPosition)), 1));
        glm::dvec3 direction(m * glm::dvec4(glm::dvec3(vector_of(source.mDirection)), 0));
        if (light.kind != LightKind::point) {
            if (!(glm::length(direction) > 0)) direction = {0, -1, 0};
            light.direction = vec3(glm::normalize(direction));
        }
        light.radiance = color_of(source.mColorDiffuse);
        auto half = [](float angle) { return glm::degrees(angle) / 2; };
        light.outer_angle = std::clamp(half(source.mAngleOuterCone), 0.1f, 90.0f);
        light.inner_angle = std::clamp(half(source.mAngleInnerCone), 0.0f, light.outer_angle);
        out.attenuation = {source.mAttenuationConstant, source.mAttenuationLinear,
                           source.mAttenuationQuadratic};
        model_.lights.push_back(out);
    }

    const aiScene& source_;
    const ReadProgress& progress_;
    ImportedModel model_;
    std::size_t n_converted_ = 0;  // vertices converted so far
};

/// Opens the model's file and, of the files that it names, those that may be read. Opens regular
/// files only: a pipe that a model names could block forever.
class GuardedFiles : public Assimp::DefaultIOSystem {
  public:
    GuardedFiles(std::string model, const ReadContext& context, std::set<std::string>& refused)
        : model_(std::move(model)), context_(context), refused_(refused) {}

    bool Exists(const char* file) const override {
        std::error_code unknown;
        return std::filesystem::is_regular_file(file, unknown);
    }
    Assimp::IOStream* Open(const char* file, const char* mode) override {
        if (!Exists(file)) return nullptr;
        if (file != model_ && !may_read(file, context_)) {
            refused_.insert(file);
            return nullptr;
        }
        return DefaultIOSystem::Open(file, mode);
    }

  private:
    std::string model_;
    const ReadContext& context_;
    std::set<std::string>& refused_;
};

/// Error of a failed import, in assimp's words. The library catches the exceptions of its readers
/// and keeps their names.
UserError fault_of(const Assimp::Importer& importer) {
    std::string words = one_line(importer.GetErrorString());
    if (words.find("bad_alloc") != std::string::npos)
        words = "claims more than there is memory for; it may be damaged";
    return UserError(words);
}

/// Warns of parts of a file that are not read.
void warn_of_unused(const aiScene& scene, std::vector<std::string>& warnings) {
    if (scene.mNumAnimations > 0) warnings.emplace_back("its animation is not played");
    bool bones = false;
    for (unsigned i = 0; i < scene.mNumMeshes; ++i) bones = bones || scene.mMeshes[i]->HasBones();
    if (bones) warnings.emplace_back("bones are not used: such meshes stand as they were bound");
}

/// Joins equal vertices mesh by mesh, to report the progress, which the library does not. This step
/// takes most of the time of a large file.
void join_vertices(Assimp::Importer& importer, aiScene& scene, const ReadProgress& progress) {
    WorkLoop loop(progress, kJoining, vertex_count(scene));
    const std::vector<aiMesh*> meshes(scene.mMeshes, scene.mMeshes + scene.mNumMeshes);
    std::size_t n_joined = 0;
    scene.mNumMeshes = 1;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        n_joined += meshes[i]->mNumVertices;
        scene.mMeshes[0] = meshes[i];
        // On failure, the library has freed the scene.
        if (!importer.ApplyPostProcessing(aiProcess_JoinIdenticalVertices))
            throw fault_of(importer);
        loop.at(n_joined);
    }
    std::ranges::copy(meshes, scene.mMeshes);
    scene.mNumMeshes = static_cast<unsigned>(meshes.size());
    loop.end();
}

std::string first_line_of(const std::string& path) {
    std::string line;
    std::ifstream file(path, std::ios::binary);
    constexpr std::size_t kMost = 64;
    line.resize(kMost);
    file.read(line.data(), kMost);
    line.resize(static_cast<std::size_t>(file.gcount()));
    return line.substr(0, line.find_first_of("\r\n"));
}

/// Refuses files of more than three dimensions, which assimp would misread.
void refuse_four_dimensions(const std::string& path) {
    if (!lower_case(path).ends_with(".off")) return;
    std::string line = first_line_of(path);
    for (auto* keyword : {"4OFF", "nOFF", "N4OFF", "CN4OFF", "C4OFF", "4nOFF"})
        if (line.starts_with(keyword))
            throw UserError("its points have more than three dimensions ('" + std::string(keyword) +
                            "'); those of three are read");
}

}  // namespace

bool has_assimp() {
    return true;
}

ImportedModel import_by_assimp(const std::string& path, const ReadContext& context) {
    refuse_four_dimensions(path);
    std::set<std::string> refused;
    Assimp::Importer importer;
    importer.SetIOHandler(new GuardedFiles(path, context, refused));  // owned by the importer
    int unused =
        aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS;
    importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, unused);
    importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
    context.progress.report_work(kParsing, 0);
    const aiScene* scene = importer.ReadFile(path, 0);
    if (!scene && !refused.empty()) throw UserError(outside_fault(*refused.begin()));
    if (!scene) throw fault_of(importer);
    std::vector<std::string> warnings;
    for (auto& file : refused) warnings.push_back(outside_fault(file));
    warn_of_unused(*scene, warnings);
    // Only the parts in use are validated: keys of animations often lie beyond their end.
    for (unsigned step :
         {unsigned{aiProcess_RemoveComponent}, unsigned{aiProcess_ValidateDataStructure}}) {
        scene = importer.ApplyPostProcessing(step);
        if (!scene) throw fault_of(importer);
    }
    scene = importer.ApplyPostProcessing(aiProcess_Triangulate | aiProcess_SortByPType |
                                         aiProcess_GenUVCoords | aiProcess_TransformUVCoords);
    if (!scene) throw fault_of(importer);
    if (scene->mNumMeshes > 0)
        join_vertices(importer, const_cast<aiScene&>(*scene), context.progress);
    ImportedModel model = AssimpReader(*scene, context.progress).read();
    if (model.meshes.empty() && !refused.empty()) throw UserError(outside_fault(*refused.begin()));
    model.warnings.insert(model.warnings.begin(), warnings.begin(), warnings.end());
    return model;
}

}  // namespace tl

#else

namespace tl {

bool has_assimp() {
    return false;
}

ImportedModel import_by_assimp(const std::string&, const ReadContext&) {
    throw UserError(
        "is of a format that this build does not read; install libassimp-dev and build "
        "again");
}

}  // namespace tl

#endif
