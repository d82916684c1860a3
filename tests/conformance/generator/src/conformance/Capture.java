// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Writes TCP connections to a broker on port 9092 as a pcap file: Ethernet, IPv4, handshake, data, goodbye. */
final class Capture {
    private static final int BROKER_PORT = 9092;
    private static final int LARGEST_SEGMENT = 1460;
    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int TCP = 20;
    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int PSH = 8;
    private static final int ACK = 16;
    private static final byte[] CLIENT_ADDRESS = {10, 0, 0, 2};
    private static final byte[] BROKER_ADDRESS = {10, 0, 0, 1};

    private final List<byte[]> packets = new ArrayList<>();

    /** One connection; whatever both sides send goes through write(). */
    final class Connection {
        private final int clientPort;
        private int clientNext;
        private int brokerNext;

        Connection(int clientPort, int clientStart, int brokerStart) {
            this.clientPort = clientPort;
            clientNext = clientStart;
            brokerNext = brokerStart;
            send(true, SYN, new byte[0]);
            send(false, SYN | ACK, new byte[0]);
            send(true, ACK, new byte[0]);
        }

        /** Sends PDUs one behind the other in segments of at most so many bytes, and notes where each one ends. */
        void write(List<Pdu> pdus, int segment) {
            boolean fromClient = pdus.get(0).request;
            ByteBuffer all = ByteBuffer.allocate(pdus.stream().mapToInt(pdu -> pdu.bytes.length).sum());
            pdus.forEach(pdu -> all.put(pdu.bytes));
            all.flip();
            int next = 0;
            int end = pdus.get(0).bytes.length;
            while (all.hasRemaining()) {
                byte[] part = new byte[Math.min(Math.min(segment, LARGEST_SEGMENT), all.remaining())];
                all.get(part);
                send(fromClient, all.hasRemaining() ? ACK : PSH | ACK, part);
                while (next < pdus.size() && end <= all.position()) {
                    pdus.get(next).frame = packets.size();
                    next++;
                    end += next < pdus.size() ? pdus.get(next).bytes.length : 0;
                }
            }
            send(!fromClient, ACK, new byte[0]);
        }

        void close() {
            send(true, FIN | ACK, new byte[0]);
            send(false, FIN | ACK, new byte[0]);
            send(true, ACK, new byte[0]);
        }

        private void send(boolean fromClient, int flags, byte[] data) {
            ByteBuffer packet = ByteBuffer.allocate(ETHERNET + IPV4 + TCP + data.length);
            packet.put(new byte[] {2, 0, 0, 0, 0, (byte) (fromClient ? 1 : 2)});
            packet.put(new byte[] {2, 0, 0, 0, 0, (byte) (fromClient ? 2 : 1)});
            packet.putShort((short) 0x0800);
            byte[] from = fromClient ? CLIENT_ADDRESS : BROKER_ADDRESS;
            byte[] to = fromClient ? BROKER_ADDRESS : CLIENT_ADDRESS;
            packet.putShort((short) 0x4500).putShort((short) (IPV4 + TCP + data.length));
            packet.putShort((short) packets.size()).putShort((short) 0x4000);
            packet.put((byte) 64).put((byte) 6).putShort((short) 0).put(from).put(to);
            packet.putShort(ETHERNET + 10, (short) ~sum(packet, ETHERNET, IPV4, 0));
            packet.putShort((short) (fromClient ? clientPort : BROKER_PORT));
            packet.putShort((short) (fromClient ? BROKER_PORT : clientPort));
            packet.putInt(fromClient ? clientNext : brokerNext);
            packet.putInt((flags & ACK) == 0 ? 0 : fromClient ? brokerNext : clientNext);
            packet.put((byte) (TCP / 4 << 4)).put((byte) flags).putShort((short) 65535).putInt(0).put(data);
            // The checksum also covers both addresses, the protocol and the length.
            int pseudo = sum(packet, ETHERNET + 12, 8, 6 + TCP + data.length);
            packet.putShort(ETHERNET + IPV4 + 16, (short) ~sum(packet, ETHERNET + IPV4, TCP + data.length, pseudo));
            packets.add(packet.array());
            int used = data.length + ((flags & (SYN | FIN)) == 0 ? 0 : 1);
            if (fromClient) {
                clientNext += used;
            } else {
                brokerNext += used;
            }
        }
    }

    private static int sum(ByteBuffer packet, int offset, int length, int start) {
        int sum = start;
        for (int i = 0; i < length; i++) {
            sum += (packet.get(offset + i) & 0xff) << (i % 2 == 0 ? 8 : 0);
            sum = (sum & 0xffff) + (sum >>> 16);
        }
        return sum;
    }

    /** Packets follow one another by a millisecond. */
    void save(Path file) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            ByteBuffer header = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
            header.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(262144);
            header.putInt(1);
            out.write(header.array());
            for (int i = 0; i < packets.size(); i++) {
                byte[] packet = packets.get(i);
                ByteBuffer record = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
                record.putInt(1_760_000_000 + i / 1000).putInt(i % 1000 * 1000);
                record.putInt(packet.length).putInt(packet.length);
                out.write(record.array());
                out.write(packet);
            }
        }
    }
}
