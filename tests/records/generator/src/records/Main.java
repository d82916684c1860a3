// SPDX-License-Identifier: GPL-2.0-or-later
package records;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes record sets of every kind with Kafka's own builders, and beside each what Kafka's own reader makes of its bytes:
 * {@code Main SEED FILE.zip}. NAME.bin is a record set, NAME.jsonl its batches and records.
 */
public final class Main {
    /** So that the same seed gives the same file. */
    private static final LocalDateTime TIME = LocalDateTime.of(2000, 1, 1, 0, 0);

    private Main() {
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            System.err.println("usage: Main SEED FILE.zip");
            System.exit(2);
        }
        Map<String, byte[]> cases = new TreeMap<>(new Cases(Long.parseLong(args[0])).all());
        try (OutputStream out = Files.newOutputStream(Path.of(args[1])); ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.setLevel(9);
            for (Map.Entry<String, byte[]> entry : cases.entrySet()) {
                put(zip, entry.getKey() + ".bin", entry.getValue());
                List<String> expected = Expected.of(entry.getValue());
                put(zip, entry.getKey() + ".jsonl", (String.join("\n", expected) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        System.out.println(cases.size() + " record sets");
    }

    private static void put(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(TIME);
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
    }
}
