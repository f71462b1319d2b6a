"""Renders a .glb exported by Treelight with Cycles; tools/measure-cycles runs it in Blender:

blender -b --factory-startup --python cycles_scene.py -- MODEL PICTURE OTHER OTHER WxH DEPTH FEW
    SAMPLES both|surfaces

both: light and BSDF sampling; surfaces: BSDF sampling alone.

Prints "measured" and a JSON object: mean radiance of Cycles' pictures of two seeds and of the two
OTHER pictures, their relative difference over the whole picture and in the worst of 8 x 8 tiles, the
relative variances, and the processor seconds per sample of all threads.
"""
import json
import math
import resource
import struct
import sys
import tempfile

import bpy
import numpy

numpy.bool = bool  # for Blender 3.4's importer; newer versions of NumPy lack the name


def read_glb(path):
    """Returns the JSON chunk of a .glb and the bytes after it."""
    data = open(path, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), data[20 + length:]


def lights_of(description):
    """Returns the model's lights without area (KHR_lights_punctual)."""
    return description.get("extensions", {}).get("KHR_lights_punctual", {}).get("lights", [])


def with_numbers(description, rest):
    """Writes a copy of the model whose materials and lights are named by number; returns its path."""
    for number, material in enumerate(description.get("materials", [])):
        material["name"] = f"material {number}"
    for node in description.get("nodes", []):
        if "KHR_lights_punctual" in node.get("extensions", {}):
            number = node["extensions"]["KHR_lights_punctual"]["light"]
            node["name"] = f"light {number}"
    text = json.dumps(description).encode()
    text += b" " * (-len(text) % 4)
    file = tempfile.NamedTemporaryFile(suffix=".glb", delete=False)
    file.write(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text),
                           0x4E4F534A) + text + rest)
    file.close()
    return file.name


def node_maker(tree):
    def add(kind, **values):
        node = tree.nodes.new(kind)
        for name, value in values.items():
            if name in node.inputs:
                node.inputs[name].default_value = value
            else:
                setattr(node, name, value)
        return node
    return add


def rgba(color):
    return (*color, 1)


def set_color(tree, node, source, factor):
    """Sets the colour of a node to the factor, times the texture from the importer if there is one."""
    if source is None:
        node.inputs["Color" if "Color" in node.inputs else "Base Color"].default_value = rgba(factor)
        return
    mix = tree.nodes.new("ShaderNodeMixRGB")
    mix.blend_type = "MULTIPLY"
    mix.inputs["Fac"].default_value = 1
    mix.inputs["Color2"].default_value = rgba(factor)
    tree.links.new(source, mix.inputs["Color1"])
    tree.links.new(mix.outputs[0],
                   node.inputs["Color" if "Color" in node.inputs else "Base Color"])


def with_linear_texels(image):
    """Returns an sRGB image as linear floats, so that Cycles filters linear values. It filters bytes in
    sRGB, which darkens edges."""
    if image.colorspace_settings.name != "sRGB" or image.is_float:
        return image
    name = image.name + " in light"
    if name in bpy.data.images:
        return bpy.data.images[name]
    texels = numpy.empty(image.size[0] * image.size[1] * 4, numpy.float32)
    image.pixels.foreach_get(texels)
    colors = texels.reshape(-1, 4)[:, :3]
    colors[:] = numpy.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055)**2.4)
    linear = bpy.data.images.new(name, *image.size, alpha=True, float_buffer=True, is_data=True)
    linear.pixels.foreach_set(texels)
    return linear


def texture_of(tree):
    """Returns the colour socket of the base colour's image among the importer's nodes, or None."""
    for node in tree.nodes:
        if node.type != "BSDF_PRINCIPLED":
            continue
        links = node.inputs["Base Color"].links
        while links:
            source = links[0].from_node
            if source.type == "TEX_IMAGE":
                source.image = with_linear_texels(source.image)
                return source.outputs["Color"]
            links = [link for socket in source.inputs for link in socket.links]
    return None


def glass(tree, add, description, base, roughness):
    extensions = description["extensions"]
    ior = extensions.get("KHR_materials_ior", {}).get("ior", 1.5)
    tint = extensions.get("KHR_materials_specular", {}).get("specularColorFactor", [1, 1, 1])
    kind = "SHARP" if roughness == 0 else "GGX"
    fresnel = add("ShaderNodeFresnel", IOR=ior)
    mix = tree.nodes.new("ShaderNodeMixShader")
    refracted = add("ShaderNodeBsdfRefraction", Color=rgba(base), IOR=ior, Roughness=roughness,
                    distribution="SHARP" if kind == "SHARP" else "GGX")
    reflected = add("ShaderNodeBsdfGlossy", Color=rgba(tint), Roughness=roughness,
                    distribution=kind)
    if roughness > 0:
        # A single node reflects or refracts at microfacets, with multiple scattering.
        return add("ShaderNodeBsdfGlass", Color=rgba(base), IOR=ior, Roughness=roughness,
                   distribution="MULTI_GGX")
    tree.links.new(fresnel.outputs[0], mix.inputs[0])
    tree.links.new(refracted.outputs[0], mix.inputs[1])
    tree.links.new(reflected.outputs[0], mix.inputs[2])
    return mix


def reflecting(tree, add, source, base, reflectance, roughness):
    """Returns a dielectric with a coloured reflectance at normal incidence. Blender's principled BSDF has
    that for metals only: the sum of such a metal and a diffuse BSDF, scaled by the mean transmittance."""
    reflected = add("ShaderNodeBsdfPrincipled", distribution="MULTI_GGX", Metallic=1,
                    Roughness=roughness)
    reflected.inputs["Base Color"].default_value = rgba(reflectance)
    diffuse = add("ShaderNodeBsdfDiffuse")
    most = max(reflectance)
    kept = 1 - (most + (1 - most) / 21)
    set_color(tree, diffuse, source, [kept * c for c in base])
    both = tree.nodes.new("ShaderNodeAddShader")
    tree.links.new(reflected.outputs[0], both.inputs[0])
    tree.links.new(diffuse.outputs[0], both.inputs[1])
    return both


def set_absorption(tree, add, output, volume):
    distance, color = volume.get("attenuationDistance"), volume.get("attenuationColor", [1, 1, 1])
    if not distance:
        return
    absorption = [-math.log(max(c, 1e-4)) / distance for c in color]
    most = max(absorption)
    if most > 0:
        node = add("ShaderNodeVolumeAbsorption", Color=rgba([1 - a / most for a in absorption]),
                   Density=most)
        tree.links.new(node.outputs[0], output.inputs["Volume"])


def set_material(material, description):
    tree = material.node_tree
    source = texture_of(tree)
    kept = {source.node} if source else set()
    for node in list(tree.nodes):
        if node not in kept:
            tree.nodes.remove(node)
    add = node_maker(tree)
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    pbr = description.get("pbrMetallicRoughness", {})
    extensions = description.get("extensions", {})
    base = pbr.get("baseColorFactor", [1, 1, 1, 1])[:3]
    metallic, roughness = pbr.get("metallicFactor", 1), pbr.get("roughnessFactor", 1)
    specular = extensions.get("KHR_materials_specular", {}).get("specularFactor", 1)
    tint = extensions.get("KHR_materials_specular", {}).get("specularColorFactor", [1, 1, 1])
    ior = extensions.get("KHR_materials_ior", {}).get("ior", 1.5)
    reflectance = [min(((ior - 1) / (ior + 1))**2 * c, 1) * specular for c in tint]
    if "KHR_materials_transmission" in extensions:
        shader = glass(tree, add, description, base, roughness)
        set_absorption(tree, add, output, extensions.get("KHR_materials_volume", {}))
    elif metallic == 0 and specular == 0:
        shader = add("ShaderNodeBsdfDiffuse")
        set_color(tree, shader, source, base)
    elif metallic == 0 and max(reflectance) - min(reflectance) > 1e-4:
        shader = reflecting(tree, add, source, base, reflectance, roughness)
    else:
        shader = add("ShaderNodeBsdfPrincipled", distribution="MULTI_GGX", Metallic=metallic,
                     Roughness=roughness, Specular=max(reflectance) / 0.08)
        set_color(tree, shader, source, base)
    emission = description.get("emissiveFactor", [0, 0, 0])
    if max(emission) > 0:
        strength = extensions.get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        # Emits on the side of the normal only.
        geometry = tree.nodes.new("ShaderNodeNewGeometry")
        outside = add("ShaderNodeMath", operation="MULTIPLY_ADD")
        outside.inputs[1].default_value = -strength
        outside.inputs[2].default_value = strength
        glow = add("ShaderNodeEmission", Color=rgba(emission))
        tree.links.new(geometry.outputs["Backfacing"], outside.inputs[0])
        tree.links.new(outside.outputs[0], glow.inputs["Strength"])
        both = tree.nodes.new("ShaderNodeAddShader")
        tree.links.new(shader.outputs[0], both.inputs[0])
        tree.links.new(glow.outputs[0], both.inputs[1])
        shader = both if max(base) > 0 else glow
    tree.links.new(shader.outputs[0], output.inputs["Surface"])


def set_lights(description):
    listed = lights_of(description)
    for light in bpy.data.objects:
        if light.type != "LIGHT":
            continue
        # Blender may append a suffix to the name: "light 3.001".
        source = listed[int(light.name.split()[1].split(".")[0])]
        intensity = source.get("intensity", 1)
        light.data.color = source.get("color", [1, 1, 1])
        if source["type"] == "directional":
            light.data.energy, light.data.angle = intensity, 0
        else:
            light.data.energy, light.data.shadow_soft_size = 4 * math.pi * intensity, 0


def set_camera(description):
    scene = bpy.context.scene
    scene.camera = next(o for o in bpy.data.objects if o.type == "CAMERA")
    scene.camera.data.sensor_fit = "VERTICAL"
    scene.camera.data.angle_y = description["cameras"][0]["perspective"]["yfov"]


def set_world(description):
    world = bpy.data.worlds.new("background")
    bpy.context.scene.world = world
    world.use_nodes = True
    extras = description["scenes"][description.get("scene", 0)].get("extras", {})
    color = extras.get("treelight_background", [0, 0, 0])
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = rgba(color)
    background.inputs["Strength"].default_value = 1


def set_cycles(size, depth):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y = map(int, size.split("x"))
    scene.render.resolution_percentage = 100
    scene.render.filter_size = 1
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.view_settings.view_transform = "Raw"
    cycles = scene.cycles
    cycles.device = "CPU"
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.pixel_filter_type = "BOX"
    # Cycles counts bounces after the first surface.
    cycles.max_bounces = cycles.diffuse_bounces = cycles.glossy_bounces = depth - 1
    cycles.transmission_bounces = depth - 1
    # Equals the path tracer's default `roulette-from`: no Russian roulette within the first three bounces.
    cycles.min_light_bounces = 2
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = 0
    cycles.blur_glossy = 0
    cycles.light_sampling_threshold = 0
    cycles.caustics_reflective = cycles.caustics_refractive = True
    cycles.use_auto_tile = False


def seconds_of(samples, picture, seed=0):
    scene = bpy.context.scene
    scene.cycles.samples = samples
    scene.cycles.seed = seed
    scene.render.filepath = picture
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    bpy.ops.render.render(write_still=True)
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - start


def radiance_of(path):
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    pixels = numpy.empty(image.size[0] * image.size[1] * image.channels, numpy.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(image.size[1], image.size[0], image.channels)[:, :, :3].astype(float)


def tiles_of(picture):
    rows = numpy.array_split(picture.mean(axis=2), 8, axis=0)
    return numpy.array([[tile.mean() for tile in numpy.array_split(row, 8, axis=1)]
                        for row in rows])


def variance_of(one, two, mean):
    """Returns the relative variance of pixels: from two pictures of different seeds, divided by the
    squared value.

    mean: estimate of the expected picture; dark pixels are divided by 5 % of its mean instead.
    Excludes the thousandth of pixels with the largest variance: the contribution of a few bright
    outliers is too uncertain to compare."""
    own = ((one - two)**2).sum(axis=2) / 2
    square = numpy.maximum(mean, 0.05 * mean.mean())**2
    relative = numpy.sort((own / square.sum(axis=2)).ravel())
    return relative[:-max(relative.size // 1000, 1)].mean()


def main():
    model, picture, other, other_again, size, depth, few, samples, find_lights = sys.argv[
        sys.argv.index("--") + 1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    description, rest = read_glb(model)
    bpy.ops.import_scene.gltf(filepath=with_numbers(description, rest))
    for material in bpy.data.materials:
        if material.name.startswith("material "):
            set_material(material, description["materials"][int(material.name.split()[1])])
    set_lights(description)
    set_camera(description)
    set_world(description)
    set_cycles(size, int(depth))
    if find_lights == "surfaces":
        bpy.context.scene.world.cycles.sampling_method = "NONE"
        for material in bpy.data.materials:
            material.cycles.sample_as_light = False
    first = seconds_of(int(few), picture)
    seconds = seconds_of(int(samples), picture)
    own, given = radiance_of(picture), radiance_of(other)
    seconds_of(int(samples), picture + ".again.exr", 1)
    own_again, given_again = radiance_of(picture + ".again.exr"), radiance_of(other_again)
    both, given_both = (own + own_again) / 2, (given + given_again) / 2
    tiles, given_tiles = tiles_of(both), tiles_of(given_both)
    mean = (both + given_both) / 2
    # Differences of dark tiles are relative to 2 % of the mean of all tiles.
    worst = numpy.abs(given_tiles - tiles) / numpy.maximum(tiles, 0.02 * tiles.mean())
    print("measured", json.dumps({
        "mean_cycles": both.mean(), "mean_other": given_both.mean(),
        "off": given_both.mean() / both.mean() - 1, "worst_tile": worst.max(),
        "tiles_cycles": tiles.tolist(), "tiles_other": given_tiles.tolist(),
        "variance": variance_of(own, own_again, mean),
        "variance_other": variance_of(given, given_again, mean),
        "seconds_a_sample": (seconds - first) / (int(samples) - int(few))}))


main()
