package dev.quire.news.place;

import java.util.Arrays;
import java.util.Optional;

/**
 * One of the 17 first-level regions of Korea, in their official order. Electorates and turnout have
 * the magnitude of a presidential election; they are figures for this site, not a record.
 */
public enum Region {
    SEOUL("001", "Seoul", "서울", 8_394_000, 751),
    BUSAN("002", "Busan", "부산", 2_912_000, 762),
    DAEGU("003", "Daegu", "대구", 1_991_000, 797),
    INCHEON("004", "Incheon", "인천", 2_241_000, 740),
    GWANGJU("005", "Gwangju", "광주", 1_118_000, 804),
    DAEJEON("006", "Daejeon", "대전", 1_182_000, 765),
    ULSAN("007", "Ulsan", "울산", 886_000, 784),
    SEJONG("008", "Sejong", "세종", 88_000, 741),
    GYEONGGI("009", "Gyeonggi", "경기", 9_364_000, 749),
    GANGWON("010", "Gangwon", "강원", 1_238_000, 738),
    CHUNGBUK("011", "Chungbuk", "충북", 1_235_000, 750),
    CHUNGNAM("012", "Chungnam", "충남", 1_602_000, 729),
    JEONBUK("013", "Jeonbuk", "전북", 1_483_000, 770),
    JEONNAM("014", "Jeonnam", "전남", 1_530_000, 766),
    GYEONGBUK("015", "Gyeongbuk", "경북", 2_186_000, 782),
    GYEONGNAM("016", "Gyeongnam", "경남", 2_611_000, 770),
    JEJU("017", "Jeju", "제주", 441_000, 733);

    private final String oid;
    private final String english;
    private final String korean;
    private final int electors;
    private final int turnoutPermille;

    Region(String oid, String english, String korean, int electors, int turnoutPermille) {
        this.oid = oid;
        this.english = english;
        this.korean = korean;
        this.electors = electors;
        this.turnoutPermille = turnoutPermille;
    }

    public String english() {
        return english;
    }

    public String korean() {
        return korean;
    }

    /** People on the electoral roll. */
    public int electors() {
        return electors;
    }

    /** Voters per thousand electors when the polls closed. */
    public int turnoutPermille() {
        return turnoutPermille;
    }

    /** The three digits of this region's newsroom in article URLs. */
    public String oid() {
        return oid;
    }

    /** True for a city that is a region of its own and is divided into wards. */
    public boolean isMetropolitan() {
        return switch (this) {
            case SEOUL, BUSAN, DAEGU, INCHEON, GWANGJU, DAEJEON, ULSAN -> true;
            case SEJONG,
                    GYEONGGI,
                    GANGWON,
                    CHUNGBUK,
                    CHUNGNAM,
                    JEONBUK,
                    JEONNAM,
                    GYEONGBUK,
                    GYEONGNAM,
                    JEJU ->
                    false;
        };
    }

    /** Returns the region whose newsroom has {@code oid}, or empty if there is no such newsroom. */
    public static Optional<Region> ofOid(String oid) {
        return Arrays.stream(values()).filter(region -> region.oid.equals(oid)).findFirst();
    }
}
