package dev.quire.news.election;

import dev.quire.news.place.Region;
import java.util.List;
import java.util.Locale;

/**
 * The country as a map of equal tiles, each in the colour of the leader there. Lengths in SVG
 * units.
 */
record TileMap(List<Tile> tiles) {
    private static final int SIDE = 92;
    private static final int GAP = 4;
    static final int WIDTH = 4 * SIDE + 3 * GAP;
    static final int HEIGHT = 6 * SIDE + 5 * GAP;

    /**
     * One region.
     *
     * @param strength opacity of the colour: the wider the lead, the stronger
     */
    record Tile(int x, int y, RegionCount count, String strength) {
        public Region region() {
            return count.region();
        }

        public Candidate leader() {
            return count.tally().leader();
        }

        /** Text colour that can be read on the tile. */
        public String ink() {
            return Double.parseDouble(strength) >= STRONG ? "#fff" : "#15171a";
        }
    }

    private static final double CLOSE = 2;
    private static final double STRONG = 0.8;

    static TileMap of(Count count) {
        return new TileMap(count.regions().stream().map(TileMap::tile).toList());
    }

    public int side() {
        return SIDE;
    }

    public String viewBox() {
        return "0 0 " + WIDTH + " " + HEIGHT;
    }

    private static Tile tile(RegionCount count) {
        double points = count.tally().leadPoints();
        double strength = points < CLOSE ? 0.28 : points < 6 ? 0.84 : points < 14 ? 0.92 : 1;
        return new Tile(
                column(count.region()) * (SIDE + GAP),
                row(count.region()) * (SIDE + GAP),
                count,
                String.format(Locale.ROOT, "%.2f", strength));
    }

    private static int column(Region region) {
        return switch (region) {
            case INCHEON, CHUNGNAM, GWANGJU, JEJU -> 0;
            case SEOUL, GYEONGGI, SEJONG, JEONBUK, JEONNAM -> 1;
            case GANGWON, CHUNGBUK, DAEJEON, GYEONGNAM -> 2;
            case GYEONGBUK, DAEGU, ULSAN, BUSAN -> 3;
        };
    }

    private static int row(Region region) {
        return switch (region) {
            case INCHEON, SEOUL, GANGWON -> 0;
            case GYEONGGI, CHUNGBUK, GYEONGBUK -> 1;
            case CHUNGNAM, SEJONG, DAEJEON, DAEGU -> 2;
            case JEONBUK, GYEONGNAM, ULSAN -> 3;
            case GWANGJU, JEONNAM, BUSAN -> 4;
            case JEJU -> 5;
        };
    }
}
