// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import org.apache.kafka.common.message.ApiMessageType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The Kafka release on the class path, and which of its (API, version) pairs are its to speak. */
final class Source {
    private final Map<String, Definition> definitions = new HashMap<>();
    private final List<ClassLoader> newer = new ArrayList<>();

    /** Newer releases take precedence wherever they write the same version in the same way. */
    Source(List<Path> newerJars) throws MalformedURLException {
        for (Path jar : newerJars) {
            newer.add(new URLClassLoader(new URL[] {jar.toUri().toURL()}, null));
        }
    }

    List<ApiMessageType> apis() {
        List<ApiMessageType> result = new ArrayList<>();
        for (ApiMessageType api : ApiMessageType.values()) {
            if (definition(api.name + "Request").valid.highest() >= 0) {
                result.add(api);
            }
        }
        return result;
    }

    Versions versions(ApiMessageType api) {
        return definition(api.name + "Request").valid;
    }

    String messageName(int apiKey, boolean request) {
        return ApiMessageType.fromApiKey((short) apiKey).name + (request ? "Request" : "Response");
    }

    Definition definition(String name) {
        return definitions.computeIfAbsent(name, key -> load(getClass().getClassLoader(), key).orElseThrow());
    }

    private static Optional<Definition> load(ClassLoader loader, String name) {
        try {
            return Optional.ofNullable(Definition.load(loader, name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether no newer release writes both messages of this version just as this one does. */
    boolean owns(ApiMessageType api, int version) {
        return newer.stream().noneMatch(loader ->
                same(loader, api.name + "Request", version) && same(loader, api.name + "Response", version));
    }

    /** Whether a newer release speaks this version at all, in another way. */
    boolean redefined(ApiMessageType api, int version) {
        return newer.stream().anyMatch(loader -> load(loader, api.name + "Request")
                .filter(definition -> definition.valid.contains(version)).isPresent());
    }

    private boolean same(ClassLoader loader, String name, int version) {
        return load(loader, name)
                .filter(other -> other.valid.contains(version))
                .map(other -> other.layout(version).equals(definition(name).layout(version)))
                .orElse(false);
    }
}
